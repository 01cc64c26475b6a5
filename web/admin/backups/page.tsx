import { useMutation, useSuspenseQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { transferLimits } from '../../../contract/constants.ts';
import type { Output } from '../../../contract/operations.ts';
import { DateTime } from '../../app/date.tsx';
import { operationQuery, useCall } from '../../app/queries.tsx';
import { routes } from '../../app/routes.ts';
import { amount, number } from '../../ui/amount.ts';
import { BusyButton } from '../../ui/busy-button.tsx';
import { formatSize } from '../../ui/format-size.ts';
import { Section } from '../../ui/section.tsx';
import { AdminPage, forAdmins, useAdminOperations } from '../layout.tsx';
import { Fact, Facts, Head } from '../tables.tsx';

export const prepare = forAdmins(async ({ call, client }) => {
  await client.fetchQuery(operationQuery(call, 'getBackupState', {}));
  return { title: 'Backups' };
});

type State = Output<'getBackupState'>;

/** The last verified backup, whether it should be newer, and what has gone wrong since. */
export default function BackupsPage() {
  return (
    <AdminPage title="Backups" actions={<BackUpNow />}>
      <BackupState />
    </AdminPage>
  );
}

/** Requests a backup; the page follows it until it is done. */
function BackUpNow() {
  const { call, client, report } = useAdminOperations();
  const asked = operationQuery(call, 'getBackupState', {});
  const { isWanted } = useSuspenseQuery({
    ...asked,
    refetchInterval: ({ state }) => (state.data?.isWanted ? 5_000 : false),
  }).data;
  const request = useMutation({
    mutationFn: () => call('requestBackup', {}),
    onSuccess: answer => {
      client.setQueryData(asked.queryKey, answer);
      report.done('A backup begins within a minute.');
    },
    onError: error => report.failed('Failed to ask for a backup.', error),
  });
  return (
    <BusyButton isBusy={request.isPending || isWanted} onClick={() => request.mutate()}>
      {isWanted ? 'Making a backup...' : 'Back up now'}
    </BusyButton>
  );
}

function BackupState() {
  const state = useSuspenseQuery(operationQuery(useCall(), 'getBackupState', {})).data;
  return (
    <>
      {state.restored !== null && <Restored {...state.restored} />}
      <Warning {...state} />
      <Section title="Last verified backup">
        {state.last === null ? <p className="status">None.</p> : <Last last={state.last} />}
      </Section>
      <Section title="Schedule">
        <Schedule schedule={state.schedule} />
      </Section>
      {state.kept.length > 0 && (
        <Section title="Kept backups">
          <Kept kept={state.kept} />
        </Section>
      )}
      <Section title="Restore">
        <Restore {...state} />
      </Section>
      <p className="small-print">
        No backup holds the settings of the server (<code>.env</code>) or the key that opens encrypted
        backups: keep a copy of them elsewhere.
      </p>
    </>
  );
}

/** That the site was restored, and what that has undone. */
function Restored({ at, name, createdAt }: NonNullable<State['restored']>) {
  return (
    <p className="notice">
      This site was restored on <DateTime moment={at} withTime /> from <code>{name}</code>, as it was on{' '}
      <DateTime moment={createdAt} withTime />.{' '}
      <span>
        What was decided between the two is undone. Open invitations, access tokens, webhooks, and the
        addresses of feeds and of posts by mail were revoked.
      </span>
    </p>
  );
}

function Warning({ isLate, last, failure, schedule, restored }: State) {
  return (
    <>
      {failure !== null && (
        <p className="notice bad">
          The backup of <DateTime moment={failure.at} withTime /> failed
          <span>
            {schedule !== null &&
              ` and is tried again ${failure.isDaily ? 'when the next one is due' : 'within an hour'}`}
          </span>
          : <span>{failure.error}</span>
        </p>
      )}
      {isLate && (
        <p className="notice bad">
          {last === null
            ? restored === null
              ? 'No backup of this site has been verified yet.'
              : 'No backup has been verified since this site was restored.'
            : schedule === null
              ? 'The last backup is older than a week.'
              : 'The last backup is older than a day and a half.'}
        </p>
      )}
    </>
  );
}

function Last({ last }: { last: NonNullable<State['last']> }) {
  return (
    <>
      <Facts>
        <Fact name="Created">
          <DateTime moment={last.createdAt} withTime />
        </Fact>
        <Fact name="Verified">
          <DateTime moment={last.verifiedAt} withTime />
        </Fact>
        <Fact name="Size">{formatSize(last.bytes)}</Fact>
        <Fact name="Holds">
          {amount(last.posts, 'post')}, {amount(last.files, 'file')}
          {last.missing > 0 && <span>{`; ${number(last.missing)} more could not be read`}</span>}
        </Fact>
        {last.openedBy !== null && (
          <Fact name="Encrypted">{last.openedBy === 'key' ? 'For a public key' : 'With a passphrase'}</Fact>
        )}
        {last.where === null ? (
          <Fact name="Exported as">
            <code>{last.name}</code>
          </Fact>
        ) : (
          <Fact name="Kept as">
            <code>{last.name}</code> in <code>{last.where}</code>
          </Fact>
        )}
      </Facts>
      {last.where === null && (
        <p className="small-print">
          This site does not keep it: <Link to={routes.transfers.href()}>Import &amp; Export</Link> offers it
          for {transferLimits.keptHours} hours after it is made. It is a backup where you have a copy.
        </p>
      )}
      {last.openedBy !== null && <p className="small-print">{keyWords[last.openedBy]}</p>}
    </>
  );
}

/** Instructions for the owner of an encrypted backup, which this site cannot read. */
const keyWords = {
  passphrase: 'Nobody can open it without the passphrase: keep that elsewhere, too.',
  key: (
    <>
      All of it was compared while this site still had what opens this file. Nobody can open it without your
      key: try now and then that it does, with <code>coterie verify FILE --identity KEYFILE</code>.
    </>
  ),
};

/** What the last backup left in its place. */
function Kept({ kept }: Pick<State, 'kept'>) {
  return (
    <table className="rows log kept">
      <Head columns={['Name', 'Made', 'Size']} />
      <tbody>
        {kept.map(({ name, storedAt, bytes }) => (
          <tr key={name}>
            <th scope="row">
              <code>{name}</code>
            </th>
            <td>
              <DateTime moment={storedAt} withTime />
            </td>
            <td>{formatSize(bytes)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** What to do with a backup, which the site itself cannot. */
function Restore({ isBesideSite, kept }: State) {
  return (
    <>
      <p>
        Stop the site, move its data folder aside, and run <code>coterie restore FILE</code> with the backup.
        <span> It goes into an empty site, and is checked before anything is written.</span>
      </p>
      {isBesideSite && kept.length > 0 && (
        <p className="notice">
          The backups are in the data folder of the site, so a broken disk takes both: copy them elsewhere, or
          let <code>BACKUP_URL</code> lead elsewhere.
        </p>
      )}
    </>
  );
}

function Schedule({ schedule }: Pick<State, 'schedule'>) {
  if (schedule === null) {
    return (
      <p>
        No time is set (in the <Link to={routes.settings.href()}>Settings</Link>), so backups are made by
        hand: here, or with <code>coterie export</code> while the site runs.
      </p>
    );
  }
  return (
    <p>
      Each day at {schedule.at}, to <code>{schedule.where}</code>. The newest {schedule.keep} are kept.
    </p>
  );
}
