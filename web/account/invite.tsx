import { useMutation, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import type { Output } from '../../contract/operations.ts';
import { Form } from '../app/form.tsx';
import { useQueryString } from '../app/navigation.ts';
import { Page } from '../app/page.tsx';
import { operationQuery, useCall } from '../app/queries.tsx';
import { loginHref, routes, signInLinkHref } from '../app/routes.ts';
import { useSettings, useViewer } from '../app/site.tsx';
import { useToast } from '../app/toasts.tsx';
import { welcomeLater } from '../ui/welcome.ts';
import { AccountFields, readAccount, useEnter } from './account-fields.tsx';
import { accountFailure, failureOf } from './failures.ts';
import { Invited } from './invited.tsx';
import { brokenLink, forLink, RefusedLink, tokenOf } from './link-form.tsx';

const title = 'You are invited';
const invitationOver = 'This invitation is no longer valid. Please ask for a new one.';

type Invitation = NonNullable<Output<'getInvitation'>['invitation']>;

export const prepare = forLink(
  title,
  async (call, token) => (await call('getInvitation', { token })).invitation !== null,
);

/**
 * The page of the link in an invitation. Opening it changes nothing: programs that read mail open links, too.
 */
export default function InvitePage() {
  const token = tokenOf(useQueryString());
  return token === null ? <RefusedLink title={title} reason={brokenLink} /> : <InviteByLink token={token} />;
}

function InviteByLink({ token }: { token: string }) {
  const { data } = useSuspenseQuery(operationQuery(useCall(), 'getInvitation', { token }));
  const { user } = useViewer();
  const [signedInAs] = useState(user?.username);
  const [first] = useState(data);
  // What the form has used up stays. Somebody who has just logged in may see a visitor's answer at first.
  const isOfVisitor = first.invitation?.use === 'join' || first.invitation?.use === 'log-in';
  const { invitation, isUsed } = isOfVisitor && signedInAs !== undefined ? data : first;
  if (invitation === null)
    return isUsed ? (
      <UsedInvitation signedInAs={signedInAs} />
    ) : (
      <InvitationOver isSignedIn={user !== null} />
    );
  switch (invitation.use) {
    case 'join':
      return <JoinForm token={token} invitation={invitation} />;
    case 'log-in':
      return <LoginFirst token={token} invitation={invitation} />;
    case 'own-account':
      return <AcceptForm token={token} invitation={invitation} username={signedInAs ?? ''} />;
    default:
      return <NotForThisAccount invitation={invitation} username={signedInAs ?? ''} />;
  }
}

function UsedInvitation({ signedInAs }: { signedInAs: string | undefined }) {
  const { sendsMail } = useSettings();
  if (signedInAs !== undefined) {
    return (
      <Page title={title}>
        <p className="notice">This invitation has been used. You are logged in as {signedInAs}.</p>
        <ToTimeline />
      </Page>
    );
  }
  return (
    <Page title={title}>
      <p className="notice">
        This invitation has been used. Was it you? Your account is there: log in to it.
      </p>
      <WaysToLogIn next={routes.timeline.href()} />
      {sendsMail && <p className="hint">The emailed link logs you in without a password.</p>}
    </Page>
  );
}

/** The address of the account is not prefilled: whoever got the mail forwarded need not learn it. */
function WaysToLogIn({ next }: { next: string }) {
  const { sendsMail } = useSettings();
  return (
    <p className="acts">
      <Link className="button primary" to={loginHref(next)}>
        Log In
      </Link>
      {sendsMail && (
        <Link className="button" to={signInLinkHref(next)}>
          Email me a link
        </Link>
      )}
    </p>
  );
}

function ToTimeline() {
  return (
    <p>
      <Link to={routes.timeline.href()}>Go to the timeline</Link>
    </p>
  );
}

function InvitationOver({ isSignedIn }: { isSignedIn: boolean }) {
  return (
    <RefusedLink title={title} reason={invitationOver}>
      {isSignedIn ? (
        <ToTimeline />
      ) : (
        <p>
          Have you joined already? <Link to={routes.login.href()}>Log In</Link>
        </p>
      )}
    </RefusedLink>
  );
}

type InvitationProps = { token: string; invitation: Invitation };

const hrefOf = (token: string) => routes.invite.href(`?${new URLSearchParams({ token })}`);

/** The invited address has an account already. */
function LoginFirst({ token, invitation: { inviter, email } }: InvitationProps) {
  const site = useSettings().title;
  return (
    <Page title={title}>
      <Invited />
      <p>
        {inviter} invites you to read {site}. There is an account with the address {email} already: log in to
        it, and use the invitation for it.
      </p>
      <WaysToLogIn next={hrefOf(token)} />
    </Page>
  );
}

function AcceptForm({ token, invitation, username }: InvitationProps & { username: string }) {
  const call = useCall();
  const search = useQueryString();
  const site = useSettings().title;
  const enter = useEnter();
  const toast = useToast();
  const { user } = useViewer();
  const [wasPending] = useState(user?.pendingApproval);
  const accept = useMutation({
    mutationFn: (_: FormData) => call('acceptInvitation', { token }),
    onSuccess: viewer => {
      if (wasPending && viewer.user !== null) welcomeLater(viewer.user.id);
      toast({ text: `The invitation has been used for ${username}.` });
      enter(viewer);
    },
  });
  return (
    <Page title={title}>
      <Form
        sending={accept}
        submit={`Use it for ${username}`}
        submitting="Just a moment..."
        isBusy={accept.isPending || accept.isSuccess}
        isNative
        failure={failureOf(accept, search, { over: invitationOver, later: 'Please try again later.' })}
        after={
          invitation.email === null && (
            <p className="hint">It can also make a new account, such as for somebody else: log out first.</p>
          )
        }
      >
        <input type="hidden" name="ownAccount" value="yes" />
        <p>
          {invitation.inviter} invites you to read {site}. You are logged in as <strong>{username}</strong>.
        </p>
      </Form>
    </Page>
  );
}

type NotForThisAccountProps = { invitation: Invitation; username: string };

function NotForThisAccount({ invitation: { use, email }, username }: NotForThisAccountProps) {
  return (
    <Page title={title}>
      <p className="notice">
        You are logged in as {username}.{' '}
        {use === 'other-address' && `This invitation is for ${email}: to use it, log out first.`}
        {use === 'nothing' && 'You can read everything already that this invitation is for.'}
        {use === 'refused' && 'This account cannot use the invitation: an admin decides about it.'}
      </p>
      <ToTimeline />
    </Page>
  );
}

function JoinForm({ token, invitation }: InvitationProps) {
  const call = useCall();
  const search = useQueryString();
  const site = useSettings().title;
  const { email, isProven, inviter } = invitation;
  const enter = useEnter();
  const join = useMutation({
    mutationFn: (form: FormData) => {
      const { username, name, ...typed } = readAccount(form);
      return call('joinByInvitation', {
        token,
        username,
        name,
        ...(email === null && { email: typed.email }),
        ...(!isProven && { password: typed.password }),
      });
    },
    onSuccess: viewer => {
      if (viewer.user !== null) welcomeLater(viewer.user.id);
      enter(viewer);
    },
  });
  const typed = (name: string) => search.get(name) ?? undefined;
  return (
    <Page title={title}>
      <Form
        sending={join}
        submit="Join"
        submitting="Joining..."
        isBusy={join.isPending || join.isSuccess}
        isNative
        failure={accountFailure(join, search, invitationOver)}
        after={
          <p>
            <Link to={loginHref(hrefOf(token))}>Already have an account? Log In</Link>
          </p>
        }
      >
        <Invited />
        <p>
          {isProven
            ? `${inviter} invites you to read ${site}. Others there see you under the username below. You need no password: to log in on another device, we’ll email you a link.`
            : `${inviter} invites you to read ${site}, with an account of your own.`}
        </p>
        <AccountFields
          values={{
            username: typed('username') ?? invitation.username,
            name: typed('name') ?? invitation.name,
            email: email ?? typed('email'),
          }}
          asksEmail={email === null}
          asksPassword={!isProven}
        />
        {email !== null && <p className="hint">Your account will have the address {email}.</p>}
      </Form>
    </Page>
  );
}
