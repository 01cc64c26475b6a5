import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { Output } from '../../../contract/operations.ts';
import { DateTime } from '../../app/date.tsx';
import { operationQuery, useCall } from '../../app/queries.tsx';
import { routes } from '../../app/routes.ts';
import { amount, number } from '../../ui/amount.ts';
import { formatSize } from '../../ui/format-size.ts';
import { Section } from '../../ui/section.tsx';
import { AdminPage, forAdmins } from '../layout.tsx';
import { Fact, Facts, WaitingFact } from '../tables.tsx';

export const prepare = forAdmins(async ({ call, client }) => {
  await Promise.all([
    client.fetchQuery(operationQuery(call, 'getSystemState', {})),
    client.fetchQuery(operationQuery(call, 'getBackupState', {})),
  ]);
  return { title: 'System' };
});

type State = Output<'getSystemState'>;
type BackupState = Output<'getBackupState'>;

/** The program, its environment, and what should change. */
export default function SystemPage() {
  return (
    <AdminPage title="System">
      <SystemState />
    </AdminPage>
  );
}

function SystemState() {
  const call = useCall();
  const state = useSuspenseQuery(operationQuery(call, 'getSystemState', {})).data;
  const backup = useSuspenseQuery(operationQuery(call, 'getBackupState', {})).data;
  return (
    <>
      <Section title="Needs attention">
        <Warnings warnings={state.warnings} {...backup} />
      </Section>
      <Program {...state} />
      <Section title="Waiting">
        <Facts>
          <WaitingFact name="Emails" {...state.mails} />
          <WaitingFact name="Imports and exports" {...state.transfers} />
          <WaitingFact name="Pictures and videos" {...state.files} />
        </Facts>
      </Section>
      <Backups {...backup} />
      <Errors errors={state.errors} />
    </>
  );
}

function Warnings({ warnings, isLate, isUntried }: Pick<State, 'warnings'> & BackupState) {
  if (warnings.length === 0 && !isLate && !isUntried) return <p className="status">Nothing.</p>;
  return (
    <>
      {warnings.map(warning => (
        <p key={warning} className="notice">
          {warning}
        </p>
      ))}
      {isLate && (
        <p className="notice">
          There is no recent backup that was read back. <Link href={routes.backups.href()}>Make one</Link>
        </p>
      )}
      {isUntried && (
        <p className="notice">
          No backup was restored on trial without problems: <code>coterie export --rehearse</code> tries it.
        </p>
      )}
    </>
  );
}

function Program({ version, schema, engine, node, role, startedAt, memoryBytes, freeBytes }: State) {
  return (
    <Section title="This process">
      <Facts>
        <Fact name="Coterie">{version}</Fact>
        <Fact name="Database">
          {engine}, {schema}
        </Fact>
        <Fact name="Node.js">{node}</Fact>
        <Fact name="Started">
          <DateTime moment={startedAt} withTime />
        </Fact>
        <Fact name="Role">{roles[role]}</Fact>
        <Fact name="Memory">{formatSize(memoryBytes)}</Fact>
        <Fact name="Free on the disk">{freeBytes === null ? 'unknown' : formatSize(freeBytes)}</Fact>
      </Facts>
    </Section>
  );
}

function Backups({ last, rehearsal }: BackupState) {
  return (
    <Section title="Backups">
      <Facts>
        <Fact name="Last verified">
          {last === null ? (
            'none'
          ) : (
            <>
              <DateTime moment={last.createdAt} withTime />, {amount(last.posts, 'post')}
            </>
          )}
        </Fact>
        <Fact name="Last restored on trial">
          {rehearsal === null ? (
            <>
              never (<code>coterie export --rehearse</code>)
            </>
          ) : (
            <>
              <DateTime moment={rehearsal.at} withTime />, {amount(rehearsal.posts, 'post')},{' '}
              {resultOf(rehearsal)}, {number(rehearsal.seconds)} s
            </>
          )}
        </Fact>
      </Facts>
    </Section>
  );
}

function resultOf({ broken }: { broken: number | null }): string {
  if (broken === null) return 'it could not be restored';
  return broken === 0 ? 'no problems' : amount(broken, 'problem');
}

/** Readers were shown the same ids. */
function Errors({ errors }: Pick<State, 'errors'>) {
  return (
    <Section title="Last errors of this process">
      {errors.length === 0 ? (
        <p className="status">None since the start.</p>
      ) : (
        <ul>
          {errors.map(({ at, id, kind }) => (
            <li key={id}>
              <DateTime moment={at} withTime />, {kind}, <code>{id}</code>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

const roles: Record<State['role'], string> = {
  all: 'answers readers, and works in the background',
  web: 'answers readers',
  worker: 'works in the background',
};
