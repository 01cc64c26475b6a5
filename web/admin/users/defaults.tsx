import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useRef, useState } from 'react';
import { AppError } from '../../../contract/errors.ts';
import type { Output } from '../../../contract/operations.ts';
import { operationQuery, useCall } from '../../app/operations.tsx';
import { BusyButton } from '../../ui/busy-button.tsx';
import { LoadFailed } from '../../ui/load-failed.tsx';
import { Section } from '../../ui/section.tsx';
import { useReport } from '../layout.tsx';
import { EffectText, usePreview } from '../preview.tsx';
import { TagPicker } from '../tag-picker.tsx';
import { effectWords } from './effect.tsx';

/** The default tags, as they are saved and as an admin has chosen them. */
function useDefaultTags() {
  const call = useCall();
  const client = useQueryClient();
  const report = useReport();
  const query = useQuery(operationQuery(call, 'getDefaultTags', {}));
  const saved = query.data?.tags ?? [];
  /** The tags that are chosen, and those from which that began: they may be loaded again meanwhile. */
  const [draft, setDraft] = useState<{ chosen: readonly string[]; seen: readonly string[] } | null>(null);
  const { chosen, seen } = draft ?? { chosen: saved, seen: saved };
  const save = useMutation({
    mutationFn: () => call('setDefaultTags', { tags: [...chosen], seenTags: [...seen] }),
    onSuccess: async answer => {
      client.setQueryData(['getDefaultTags', {}], answer);
      setDraft(null);
      report.done('Default permissions saved.');
    },
    onError: async error => {
      report.failed('Failed to save the default permissions.', error);
      const { data } = await query.refetch();
      // Once it was said that somebody else has changed them, the next attempt replaces theirs.
      if (error instanceof AppError && error.code === 'aborted' && data !== undefined)
        setDraft(before => before && { ...before, seen: data.tags });
    },
  });
  return {
    query,
    chosen,
    isChanged: chosen.length !== saved.length || chosen.some(name => !saved.includes(name)),
    save,
    choose: (tags: readonly string[]) => setDraft({ chosen: tags, seen }),
    cancel: () => setDraft(null),
  };
}

/** The tags that everybody may read. Before a change can be saved, its effect on posts is shown (decisions.md 6). */
export function DefaultTags({ tags }: { tags: readonly string[] }) {
  const id = useId();
  const title = useRef<HTMLHeadingElement>(null);
  const { query, chosen, isChanged, save, choose, cancel } = useDefaultTags();
  const question = operationQuery(useCall(), 'previewDefaultTags', { tags: [...chosen] });
  const { words, isUncertain } = usePreview(question, isChanged, describeEffect);
  // The focused button is removed.
  const leave = () => title.current?.focus();
  return (
    <Section title="Default Permissions" heading={title}>
      <p className="lead">Everybody, including visitors, can read posts that have only these tags.</p>
      {query.isError ? (
        <LoadFailed
          text={`Failed to load the default permissions. ${query.error.message}`}
          onRetry={query.refetch}
        />
      ) : (
        <div className="rows">
          <TagPicker
            label="Default permissions"
            listed={tags}
            chosen={chosen}
            isDisabled={save.isPending || query.isPending}
            onChange={choose}
          />
        </div>
      )}
      {isChanged && (
        <>
          <EffectText id={`${id}-effect`} words={words} />
          <div className="acts">
            <BusyButton
              className="button primary"
              isBusy={save.isPending}
              aria-describedby={`${id}-effect`}
              disabled={isUncertain}
              onClick={() => save.mutate(undefined, { onSuccess: leave })}
            >
              Save
            </BusyButton>
            <button
              type="button"
              className="button"
              disabled={save.isPending}
              onClick={() => {
                leave();
                cancel();
              }}
            >
              Cancel
            </button>
          </div>
        </>
      )}
    </Section>
  );
}

function describeEffect({ visitors, members }: Output<'previewDefaultTags'>): string[] {
  const words = [...effectWords(visitors, 'visitors'), ...effectWords(members, 'some members')];
  return words.length > 0 ? words : ['No post becomes visible to anybody else'];
}
