import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import type { Output } from '../../../contract/operations.ts';
import {
  type SettingName,
  settingGroups,
  settingNames,
  siteSettings,
} from '../../../contract/site-settings.ts';
import { DateTime } from '../../app/date.tsx';
import { Form, fieldText } from '../../app/form.tsx';
import { operationQuery, useCall } from '../../app/operations.tsx';
import { BusyButton } from '../../ui/busy-button.tsx';
import { Section } from '../../ui/section.tsx';
import { AdminPage, forAdmins, useReport } from '../layout.tsx';
import { SettingField } from './setting-field.tsx';

export const prepare = forAdmins(async ({ call, client }) => {
  await client.fetchQuery(operationQuery(call, 'getSiteSettings', {}));
  return { title: 'Settings' };
});

type State = Output<'getSiteSettings'>;
type Group = keyof typeof settingGroups;

/** The settings of the site (decisions.md 47). */
export default function SettingsPage() {
  return (
    <AdminPage title="Settings">
      <Settings />
    </AdminPage>
  );
}

function Settings() {
  const state = useSuspenseQuery(operationQuery(useCall(), 'getSiteSettings', {})).data;
  return (
    <>
      {(Object.keys(settingGroups) as Group[]).map(group => (
        <Section key={group} title={settingGroups[group]}>
          <GroupForm group={group} state={state} />
        </Section>
      ))}
      {state.lastChange !== null && <LastChange {...state.lastChange} version={state.version} />}
    </>
  );
}

/** Takes what the server answered after a change, and lets the page around it follow. */
function useTakeState() {
  const call = useCall();
  const client = useQueryClient();
  return async (state: State) => {
    client.setQueryData(operationQuery(call, 'getSiteSettings', {}).queryKey, state);
    await client.invalidateQueries({ queryKey: ['getSettings'] });
  };
}

function GroupForm({ group, state }: { group: Group; state: State }) {
  const call = useCall();
  const take = useTakeState();
  const names = settingNames.filter(name => siteSettings[name].group === group);
  const sending = useMutation({
    mutationFn: (form: FormData) =>
      call('saveSiteSettings', { values: changesIn(form, names, state), seenVersion: state.version }),
    onSuccess: take,
  });
  return (
    // Anew after each change: another admin may have made it, or it was taken back.
    <Form key={state.version} sending={sending} submit="Save" submitting="Saving..." done="Saved.">
      {names.map(name => (
        <SettingField
          key={name}
          name={name}
          value={String(state.values[name])}
          lockedBy={state.lockedBy[name]}
        />
      ))}
    </Form>
  );
}

/** The settings that the form has other values for; a field that cannot be changed is not in it. */
function changesIn(form: FormData, names: readonly SettingName[], { values }: State) {
  const changed = names.filter(name => form.has(name) && fieldText(form, name) !== String(values[name]));
  return Object.fromEntries(changed.map(name => [name, fieldText(form, name)]));
}

function LastChange({ at, by, version }: NonNullable<State['lastChange']> & Pick<State, 'version'>) {
  const call = useCall();
  const report = useReport();
  const take = useTakeState();
  const undo = useMutation({
    mutationFn: () => call('undoSiteSettings', { seenVersion: version }),
    onSuccess: async state => {
      await take(state);
      report.done('The last change was taken back.');
    },
    onError: error => report.failed('Failed to take the last change back.', error),
  });
  return (
    <Section title="Last change">
      <p>
        <DateTime moment={at} withTime /> by {by}. The history has all of them.
      </p>
      <div className="acts">
        <BusyButton isBusy={undo.isPending} onClick={() => undo.mutate()}>
          Take it back
        </BusyButton>
      </div>
    </Section>
  );
}
