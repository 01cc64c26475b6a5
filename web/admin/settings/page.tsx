import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { DateTime } from '../../app/date.tsx';
import { Form, fieldText } from '../../app/form.tsx';
import { operationQuery, useCall } from '../../app/operations.tsx';
import { routes } from '../../app/routes.ts';
import { BusyButton } from '../../ui/busy-button.tsx';
import { Section } from '../../ui/section.tsx';
import { AdminPage, forAdmins, useReport } from '../layout.tsx';
import { AdminFactor } from './admin-factor.tsx';
import { NamesAuthors } from './names-authors.tsx';
import { type Setting, SettingField, type State, textOf } from './setting-field.tsx';
import '../../styles/admin-settings.css';

export const prepare = forAdmins(async ({ call, client }) => {
  await Promise.all([
    client.fetchQuery(operationQuery(call, 'getSiteSettings', {})),
    client.fetchQuery(operationQuery(call, 'getAdminFactor', {})),
  ]);
  return { title: 'Settings' };
});

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
      {state.parts.map(({ title, settings }) => (
        <Section key={title} title={title}>
          <PartForm settings={settings} state={state} />
        </Section>
      ))}
      <NamesAuthors />
      <AdminFactor />
      <Section title="Default permissions">
        <p className="lead">
          What everybody may read is chosen by tags, among the <Link to={routes.users.href()}>Users</Link>.
        </p>
      </Section>
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

function PartForm({ settings, state }: { settings: readonly Setting[]; state: State }) {
  const call = useCall();
  const take = useTakeState();
  const sending = useMutation({
    mutationFn: (form: FormData) =>
      call('saveSiteSettings', { values: changesIn(form, settings, state), version: state.version }),
    onSuccess: take,
  });
  return (
    // Anew when one of these has changed: another admin may have done it, or it was taken back.
    <Form
      key={settings.map(({ name }) => textOf(state.values[name])).join('\n')}
      sending={sending}
      submit="Save"
      submitting="Saving..."
      done="Saved."
    >
      {settings.map(setting => (
        <SettingField key={setting.name} setting={setting} state={state} />
      ))}
    </Form>
  );
}

/** The settings that the form has other values for; a field that cannot be changed is not in it. */
function changesIn(form: FormData, settings: readonly Setting[], { values }: State) {
  const changed = settings.filter(
    ({ name }) => form.has(name) && fieldText(form, name) !== textOf(values[name]),
  );
  return Object.fromEntries(
    changed.map(({ name, field }) => {
      const text = fieldText(form, name);
      return [name, field === 'links' ? JSON.parse(text) : text];
    }),
  );
}

function LastChange({ at, by, version }: NonNullable<State['lastChange']> & Pick<State, 'version'>) {
  const call = useCall();
  const report = useReport();
  const take = useTakeState();
  const undo = useMutation({
    mutationFn: () => call('undoSiteSettings', { version }),
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
