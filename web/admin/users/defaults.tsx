import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useRef } from 'react';
import type { Output } from '../../../contract/operations.ts';
import { operationQuery, useCall } from '../../app/operations.tsx';
import { BusyButton } from '../../ui/busy-button.tsx';
import { LoadFailed } from '../../ui/load-failed.tsx';
import { Section } from '../../ui/section.tsx';
import { useReport } from '../layout.tsx';
import { EffectText, usePreview } from '../preview.tsx';
import { TagPicker, useNamedTags } from '../tag-picker.tsx';
import { useTagsEdit } from '../tags-edit.tsx';
import { effectWords } from './effect.tsx';

/** The default tags, as saved and as an admin has chosen them. */
function useDefaultTags() {
  const call = useCall();
  const client = useQueryClient();
  const report = useReport();
  const asked = operationQuery(call, 'getDefaultTags', {});
  const query = useQuery(asked);
  const edit = useTagsEdit(
    query.data?.tags ?? [],
    query.data?.version,
    () => client.getQueryData(asked.queryKey)?.version,
  );
  const named = useNamedTags();
  const save = useMutation({
    mutationFn: () => call('setDefaultTags', { ...named(edit.chosen), version: edit.version }),
    onSuccess: answer => {
      client.setQueryData(asked.queryKey, answer);
      report.done('Default permissions saved.');
    },
    onError: async error => {
      report.failed('Failed to save the default permissions.', error);
      await query.refetch();
    },
  });
  return { query, edit, save };
}

/**
 * The tags that everybody may read. Before a change can be saved, its effect on posts is shown (decisions.md
 * 6).
 */
export function DefaultTags({ tags }: { tags: readonly string[] }) {
  const id = useId();
  const title = useRef<HTMLHeadingElement>(null);
  const { query, edit, save } = useDefaultTags();
  const { chosen, isChanged } = edit;
  const question = operationQuery(useCall(), 'previewDefaultTags', { tags: [...chosen] });
  const { words, isUncertain } = usePreview(question, isChanged, describeEffect);
  const stop = () => {
    // The focused button is removed.
    title.current?.focus();
    edit.stop();
  };
  return (
    <Section title="Default Permissions" heading={title}>
      <p className="lead">Everybody, including visitors, can read posts that have only these tags.</p>
      {query.isError ? (
        <LoadFailed
          text={`Failed to load the default permissions. ${query.error.message}`}
          error={query.error}
          onRetry={query.refetch}
        />
      ) : (
        <div className="rows">
          <TagPicker
            label="Default permissions"
            listed={tags}
            chosen={chosen}
            isDisabled={save.isPending || query.isPending}
            onChange={edit.choose}
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
              onClick={() => save.mutate(undefined, { ...edit.afterSave, onSuccess: stop })}
            >
              Save
            </BusyButton>
            <button type="button" className="button" disabled={save.isPending} onClick={stop}>
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
