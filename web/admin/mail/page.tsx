import { useMutation, useSuspenseQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { Output } from '../../../contract/operations.ts';
import { DateTime } from '../../app/date.tsx';
import { operationQuery, useCall, useOperations } from '../../app/queries.tsx';
import { routes } from '../../app/routes.ts';
import { number } from '../../ui/amount.ts';
import { BusyButton } from '../../ui/busy-button.tsx';
import { Section } from '../../ui/section.tsx';
import { AdminPage, forAdmins } from '../layout.tsx';
import { Fact, Facts, Head, WaitingFact } from '../tables.tsx';

export const prepare = forAdmins(async ({ call, client }) => {
  await client.fetchQuery(operationQuery(call, 'getMailState', {}));
  return { title: 'Mail' };
});

type State = Output<'getMailState'>;

const kinds: Record<State['problems'][number]['kind'], string> = {
  post: 'New post',
  reset: 'Password reset',
  confirm: 'Confirmation',
  approved: 'Approval',
  waiting: 'Pending account',
  digest: 'New posts',
  comment: 'New comment',
  push: 'Notification',
  'refused-reply': 'Reply, post or file not added',
  asked: 'Request or proposal',
  'let-in': 'Request granted',
  opened: 'Posts opened to a member',
  reported: 'Reported comment',
  'backup-failed': 'Failed backup',
  notice: 'Security notice',
  'sign-in': 'Sign-in link',
  invitation: 'Invitation',
};
const states = { queued: 'waiting', sent: 'sent', failed: 'failed' } as const;

/** The mail server, waiting mails, recent problems, and a button for a test email. */
export default function MailPage() {
  return (
    <AdminPage title="Mail" actions={<TestMail />}>
      <MailState />
    </AdminPage>
  );
}

function TestMail() {
  const { call, client } = useOperations();
  const test = useMutation({
    mutationFn: () => call('sendTestMail', {}),
    onSettled: () => client.invalidateQueries({ queryKey: ['getMailState'] }),
  });
  return (
    <>
      <BusyButton isBusy={test.isPending} onClick={() => test.mutate()}>
        {test.isPending ? 'Sending...' : 'Send test email'}
      </BusyButton>
      <p role="status" className={test.isError ? 'notice bad' : undefined}>
        {test.isSuccess ? `Sent to ${test.data.to}.` : test.isError ? test.error.message : ''}
      </p>
    </>
  );
}

function MailState() {
  const state = useSuspenseQuery(operationQuery(useCall(), 'getMailState', {})).data;
  return (
    <>
      {state.transport === 'folder' ? (
        <div className="notice">
          <p>
            No mail server is configured (SMTP_URL), so no email is sent. Messages are written to{' '}
            <code>{state.where}</code>.
          </p>
          <p>
            To send email, set <code>SMTP_URL</code>, such as{' '}
            <code className="pasted">smtps://user:password@mail.example</code>, in the site’s environment, and
            restart the site. Its backups have a page of their own:{' '}
            <Link to={routes.backups.href()}>Backups</Link>.
          </p>
        </div>
      ) : (
        <p>
          Email is sent through <code>{state.where}</code>, from {state.from}.
        </p>
      )}
      <Queue {...state} />
      {state.transport === 'smtp' && <DnsSection />}
      {state.paused.length > 0 && (
        <Section title="Paused">
          <p>Emails to these members came back three times. Each is told on their account page.</p>
          <Paused paused={state.paused} />
        </Section>
      )}
      <Section title="Recent problems">
        {state.problems.length === 0 ? (
          <p className="status">None.</p>
        ) : (
          <Problems problems={state.problems} />
        )}
      </Section>
    </>
  );
}

/** The DNS records that mail receivers check about the sender; looked up only on request. */
function DnsSection() {
  const call = useCall();
  const check = useMutation({ mutationFn: () => call('checkMailDns', {}) });
  return (
    <Section title="DNS of the sender">
      <p>Other mail servers look up SPF, DKIM, DMARC and more before they accept mail from this site.</p>
      <BusyButton isBusy={check.isPending} onClick={() => check.mutate()}>
        {check.isPending ? 'Checking...' : 'Check the DNS'}
      </BusyButton>
      <p role="status" className={check.isError ? 'notice bad' : 'status'}>
        {check.isError
          ? check.error.message
          : check.isSuccess && check.data.findings.every(({ isGood }) => isGood !== false)
            ? 'Nothing to change was found.'
            : ''}
      </p>
      {check.isSuccess && (
        <ul>
          {check.data.findings.map(({ about, isGood, sentence }) => (
            <li key={about} className="entry">
              <strong>{about}</strong>
              <p>{isGood === null ? 'Not checked:' : isGood ? 'Good:' : 'To change:'}</p>
              <p className="pasted">{sentence}</p>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

function Queue({ queued, oldestQueuedAt, sentLastDay, droppedLastDay, failed }: State) {
  return (
    <Section title="Queue">
      <Facts>
        <WaitingFact name="Waiting" note="" waiting={queued} oldestAt={oldestQueuedAt} />
        <Fact name="Sent (last 24 hours)" note="">
          {number(sentLastDay)}
        </Fact>
        <Fact
          name="Dropped (last 24 hours)"
          note="the recipient unsubscribed, was denied, or may no longer read the post"
        >
          {number(droppedLastDay)}
        </Fact>
        <Fact name="Failed" note="">
          {number(failed)}
        </Fact>
      </Facts>
    </Section>
  );
}

function Paused({ paused }: Pick<State, 'paused'>) {
  return (
    <table className="rows log">
      <Head columns={['To', 'Last came back', 'Server response']} />
      <tbody>
        {paused.map(({ username, lastAt, reason }) => (
          <tr key={username}>
            <th scope="row">{username}</th>
            <td>
              <DateTime moment={lastAt} />
            </td>
            <td>{reason}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Problems({ problems }: Pick<State, 'problems'>) {
  return (
    <table className="rows log">
      <Head columns={['Mail', 'To', 'State', 'Server response']} />
      <tbody>
        {problems.map(problem => (
          <tr key={`${problem.createdAt} ${problem.kind} ${problem.username}`}>
            <th scope="row">
              {kinds[problem.kind]}
              <span className="sub">
                <DateTime moment={problem.createdAt} />
              </span>
            </th>
            <td>{problem.username}</td>
            <td>{states[problem.state]}</td>
            <td>{problem.error}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
