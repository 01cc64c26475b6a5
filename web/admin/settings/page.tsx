import { useMutation, useSuspenseQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { settingWords } from '../../../contract/history-sentence.ts';
import { DateTime } from '../../app/date.tsx';
import { operationQuery, useCall } from '../../app/queries.tsx';
import { routes } from '../../app/routes.ts';
import { useLeaveGuard } from '../../app/use-leave-guard.ts';
import { BusyButton } from '../../ui/busy-button.tsx';
import { useDialogs } from '../../ui/dialogs.tsx';
import { Section } from '../../ui/section.tsx';
import { AdminPage, forAdmins, useReport } from '../layout.tsx';
import { AdminFactor } from './admin-factor.tsx';
import { showSavedLook } from './look-preview.ts';
import { PartForm } from './part-form.tsx';
import type { State } from './setting-field.tsx';
import { useTakeState } from './take-state.ts';
import '../../styles/admin-settings.css';

export const prepare = forAdmins(async ({ call, client }) => {
  await Promise.all([
    client.fetchQuery(operationQuery(call, 'getSiteSettings', {})),
    client.fetchQuery(operationQuery(call, 'getAdminFactor', {})),
  ]);
  return { title: 'Settings' };
});

/** The settings of the site (decision 47). */
export default function SettingsPage() {
  return (
    <AdminPage title="Settings">
      <Settings />
    </AdminPage>
  );
}

function Settings() {
  const state = useSuspenseQuery(operationQuery(useCall(), 'getSiteSettings', {})).data;
  const [undoneTo, setUndoneTo] = useState<number | null>(null);
  const { confirm } = useDialogs();
  const forms = useRef(new Set<() => boolean>());
  useLeaveGuard(
    () => [...forms.current].some(isTyped => isTyped()),
    isAboutHistory =>
      confirm('What you have changed here is not saved.', {
        isAboutHistory,
        action: 'Leave',
        cancel: 'Stay',
      }),
  );
  const noteForm = useCallback((isTyped: () => boolean) => {
    forms.current.add(isTyped);
    return () => {
      forms.current.delete(isTyped);
    };
  }, []);
  const { accent, typeface } = state.values;
  useEffect(() => {
    const show = () => showSavedLook(accent, typeface);
    show();
    return show;
  }, [accent, typeface]);
  return (
    <>
      {state.parts.map(({ title, settings }) => (
        <Section key={title} title={title}>
          <PartForm settings={settings} state={state} undoneTo={undoneTo} onShown={noteForm} />
        </Section>
      ))}
      <AdminFactor />
      <Section title="Default permissions">
        <p className="lead">
          Tags decide what everybody may read. Press those that you open, under{' '}
          <Link to={routes.users.href('?list=approved#default-permissions')}>Default Permissions</Link>.
        </p>
      </Section>
      <Section title="Mail">
        <p className="lead">
          The mail server, recent problems and a test email are on the page{' '}
          <Link to={routes.mail.href()}>Mail</Link>.
        </p>
      </Section>
      {state.lastChange !== null && (
        <LastChange {...state.lastChange} version={state.version} onUndone={setUndoneTo} />
      )}
    </>
  );
}

type LastChangeProps = NonNullable<State['lastChange']> & {
  version: number;
  /** Called with the new version. */
  onUndone(version: number): void;
};

function LastChange({ at, by, changes, version, onUndone }: LastChangeProps) {
  const call = useCall();
  const report = useReport();
  const take = useTakeState();
  const changed =
    new Intl.ListFormat('en').format(changes.map(settingWords)) ||
    'what the environment of the server decides now';
  const undo = useMutation({
    mutationFn: () => call('undoSiteSettings', { version }),
    onSuccess: async state => {
      onUndone(state.version);
      await take(state);
      report.done(`Taken back: ${changed}.`);
    },
    onError: error => report.failed('Failed to take the last change back.', error),
  });
  return (
    <Section title="Last change">
      <p>
        <DateTime moment={at} withTime />: {by} changed {changed}. The history has all changes.
      </p>
      <div className="acts">
        <BusyButton isBusy={undo.isPending} onClick={() => undo.mutate()}>
          Take it back
        </BusyButton>
      </div>
    </Section>
  );
}
