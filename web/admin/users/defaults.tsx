import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useRef } from 'react';
import type { Output } from '../../../contract/operations.ts';
import { operationQuery, useCall } from '../../app/queries.tsx';
import { amount } from '../../ui/amount.ts';
import { BusyButton } from '../../ui/busy-button.tsx';
import { useDialogs } from '../../ui/dialogs.tsx';
import { QueryFailed } from '../../ui/load-failed.tsx';
import { Section } from '../../ui/section.tsx';
import { useAdminOperations } from '../layout.tsx';
import { EffectText, usePreview } from '../preview.tsx';
import { TagPicker, useNamedTags } from '../tag-picker.tsx';
import { useTagsEdit } from '../tags-edit.tsx';
import { quoted } from './action.ts';
import { effectWords } from './effect.tsx';

function useDefaultTags() {
  const { call, client, report } = useAdminOperations();
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
 * The tags that everybody may read. Before a change can be saved, its effect on posts is shown
 * (decision 6).
 */
export function DefaultTags({ tags }: { tags: readonly string[] }) {
  const id = useId();
  const title = useRef<HTMLHeadingElement>(null);
  const { query, edit, save } = useDefaultTags();
  const { chosen, isChanged } = edit;
  const question = operationQuery(useCall(), 'previewDefaultTags', { tags: [...chosen] });
  const { words, isUncertain } = usePreview(question, isChanged, describeEffect);
  const client = useQueryClient();
  const dialogs = useDialogs();
  const submit = async () => {
    // Unknown where the effect could not be loaded.
    const gained = client.getQueryData(question.queryKey)?.visitors.gained;
    const text =
      gained === undefined
        ? 'The effect of this change is not known. Save it all the same?'
        : `Open ${amount(gained, 'post')} to everybody? Visitors can read ${gained === 1 ? 'it' : 'them'} without an account.`;
    const options = { action: gained === undefined ? 'Save' : 'Open', isDangerous: true };
    if (gained !== 0 && !(await dialogs.confirm(text, options))) return;
    save.mutate(undefined, { ...edit.afterSave, onSuccess: stop });
  };
  const stop = () => {
    // The focused button is removed.
    title.current?.focus();
    edit.stop();
  };
  return (
    <Section title="Default Permissions" id="default-permissions" heading={title}>
      {query.data !== undefined && <p className="lead">{describeOpen(query.data.tags)}</p>}
      {query.isError ? (
        <QueryFailed query={query} what="the default permissions" />
      ) : (
        <div className="rows">
          <TagPicker
            label="Default permissions"
            listed={tags}
            chosen={chosen}
            isDisabled={save.isPending || query.isPending}
            onChange={edit.choose}
            stateOf={isOpen => (isOpen ? 'open' : 'closed')}
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
              onClick={submit}
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

function describeOpen(open: readonly string[]): string {
  return open.length === 0
    ? 'No tag is open: posts with a tag are read only by members who have it. A tag that you open here is for everybody, including visitors.'
    : `Everybody, including visitors, can read posts that have no other tags than ${quoted(open)}. Every other tag is closed: its posts are read only by members who have it.`;
}

function describeEffect({ visitors, members }: Output<'previewDefaultTags'>): string[] {
  const words = [...effectWords(visitors, 'visitors'), ...effectWords(members, 'some members')];
  return words.length > 0 ? words : ['No post becomes visible to anybody else'];
}
