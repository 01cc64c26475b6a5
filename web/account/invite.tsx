import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import type { Output } from '../../contract/operations.ts';
import { Form } from '../app/form.tsx';
import { useQueryString } from '../app/navigation.ts';
import { useCall } from '../app/operations.tsx';
import { Page } from '../app/page.tsx';
import { routes } from '../app/routes.ts';
import { useSettings, useViewer } from '../app/site.tsx';
import { welcomeLater } from '../ui/welcome.ts';
import { AccountFields, readAccount, useEnter } from './account-fields.tsx';
import { accountFailure } from './failures.ts';
import { brokenLink, forLink, RefusedLink, tokenOf, useFirstAnswer } from './link-form.tsx';

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
  const { invitation } = useFirstAnswer('getInvitation', { token });
  const { user } = useViewer();
  const [wasSignedIn] = useState(user !== null);
  if (wasSignedIn && user !== null) return <SignedInAlready username={user.username} />;
  return invitation === null ? <InvitationOver /> : <JoinForm token={token} invitation={invitation} />;
}

function SignedInAlready({ username }: { username: string }) {
  return (
    <Page title={title}>
      <p className="notice">
        You are signed in as {username}. An invitation makes a new account: to use it, log out first.
      </p>
      <p>
        <Link to={routes.timeline.href()}>Go to the timeline</Link>
      </p>
    </Page>
  );
}

function InvitationOver() {
  return (
    <RefusedLink title={title} reason={invitationOver}>
      <p>
        Have you joined already? <Link to={routes.login.href()}>Log In</Link>
      </p>
    </RefusedLink>
  );
}

function JoinForm({ token, invitation }: { token: string; invitation: Invitation }) {
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
            <Link to={routes.login.href()}>Already have an account? Log In</Link>
          </p>
        }
      >
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
