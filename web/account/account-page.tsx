import { useMutation, useSuspenseQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { Redirect } from 'wouter';
import { deviceName } from '../../contract/accounts/device-name.ts';
import type { Call, Output } from '../../contract/operations.ts';
import { DateTime } from '../app/date.tsx';
import { useQueryString } from '../app/navigation.ts';
import { Page } from '../app/page.tsx';
import { operationQuery, useCall, useOperations } from '../app/queries.tsx';
import { RedirectTo } from '../app/redirect-to.ts';
import { loginHref, routes } from '../app/routes.ts';
import type { ScreenModule } from '../app/screen.ts';
import { useViewer } from '../app/site.tsx';
import { useSignOut } from '../app/use-sign-out.ts';
import { ReadingChoices } from '../reading/choices.tsx';
import { BusyButton } from '../ui/busy-button.tsx';
import { useDialogs } from '../ui/dialogs.tsx';
import { NeedsScripts } from '../ui/needs-scripts.tsx';
import { Notice } from '../ui/notice.tsx';
import { RowAction } from '../ui/row-action.tsx';
import { saveFile } from '../ui/save-file.ts';
import { Section } from '../ui/section.tsx';
import { DeleteAccountForm, EmailForm, NameForm, PasswordForm } from './account-forms.tsx';
import { ConfirmedNotice } from './confirmed-notice.tsx';
import { Fold } from './fold.tsx';
import { MailWishes } from './mail-wishes.tsx';
import { Notifications } from './notifications.tsx';
import { OpenidSection } from './openid.tsx';
import { OwnFace } from './own-face.tsx';
import { Passkeys } from './passkeys.tsx';
import { PersonalFeed } from './personal-feed.tsx';
import { PostAddress } from './post-address.tsx';
import { Proposals } from './proposals.tsx';
import { SecondFactor } from './second-factor.tsx';
import { Tokens } from './tokens.tsx';
import { wholeExport } from './whole-export.ts';

const parts = [
  'getAccount',
  'listAccessTokens',
  'listPasskeys',
  'getSecondFactor',
  'getPush',
  'getPersonalFeed',
  'getPostAddress',
  'getReadingSettings',
] as const;

/** What the page cannot be shown without; its sections ask for their parts of it. */
function partQueries(call: Call, isApproved: boolean) {
  const names = isApproved ? ([...parts, 'listOwnProposals'] as const) : parts;
  return names.map(name => operationQuery(call, name, {}));
}

export const prepare: ScreenModule['prepare'] = async ({ call, client }) => {
  const { user } = await call('getViewer', {});
  if (user === null) throw new RedirectTo(loginHref(routes.account.href()));
  await Promise.all([
    ...partQueries(call, user.isApproved).map(query => client.fetchQuery(query)),
    client.fetchQuery(operationQuery(call, 'getMailWishes', {})),
  ]);
  return { title: 'Your Account' };
};

/**
 * The reader's account: name, password, address, sessions, data, and its deletion. Likes and comments are on
 * the profile.
 */
export default function AccountPage() {
  const { user } = useViewer();
  return user === null ? <Redirect to={loginHref(routes.account.href())} replace /> : <Account />;
}

function Account() {
  const { call, client } = useOperations();
  // A token of an unapproved account could do no more than a visitor, and nobody sees its name.
  const { user } = useViewer();
  const isApproved = user?.isApproved === true;
  // The reader has just confirmed their identity at the provider, for an action in another tab.
  const hasConfirmedIdentity = useQueryString().get('done') === 'confirmed';
  // All at once: each section would wait for the one before.
  for (const query of partQueries(call, isApproved))
    if (client.getQueryState(query.queryKey) === undefined) void client.prefetchQuery(query);
  const account = useSuspenseQuery(operationQuery(call, 'getAccount', {})).data;
  const isLong = account.sessions.some(session => session.isCurrent && session.isLong);
  const hasOtherWays = useOtherWays(account);
  const programs = usePrograms();
  return (
    <Page
      title="Your Account"
      header={
        <p className="summary">
          {account.username}, since <DateTime moment={account.createdAt} />
        </p>
      }
    >
      {hasConfirmedIdentity && <ConfirmedNotice />}
      <Section title={isApproved ? 'Name and picture' : 'Name'}>
        {isApproved && <OwnFace name={account.name} face={account.face} />}
        <NameForm name={account.name} />
      </Section>
      <Section title="Email">
        <EmailForm
          email={account.email}
          isConfirmed={account.isEmailConfirmed}
          mailPause={account.mailPause}
        />
      </Section>
      <Section title="What you hear of by email" id="hear">
        <MailWishes />
      </Section>
      {isApproved && (
        <Section title="Notifications in this browser">
          <Notifications userId={user.id} isLong={isLong} />
        </Section>
      )}
      <Section title="Password">
        <PasswordForm hasPassword={account.hasPassword} />
      </Section>
      <Sessions sessions={account.sessions} canUseTokens={isApproved} />
      <ReadingChoices isLong={isLong} />
      <Fold title="Other ways to log in" isUsed={hasOtherWays}>
        <Passkeys />
        <SecondFactor />
        <OpenidSection isConnected={account.isConnected} hasPassword={account.hasPassword} />
      </Fold>
      {isApproved && (
        <Fold {...programs}>
          <Section title="Feed">
            <PersonalFeed />
          </Section>
          <PostAddress />
          <Tokens />
        </Fold>
      )}
      {isApproved && <Proposals />}
      <Section title="Your data">
        <Download />
      </Section>
      <Section title="Delete the account">
        <DeleteAccountForm />
      </Section>
    </Page>
  );
}

/** Whether somebody logs in with more than a password, or must, or has just come back from the provider. */
function useOtherWays({ isConnected, hasPassword }: Output<'getAccount'>): boolean {
  const call = useCall();
  const { passkeys } = useSuspenseQuery(operationQuery(call, 'listPasskeys', {})).data;
  const { isOn } = useSuspenseQuery(operationQuery(call, 'getSecondFactor', {})).data;
  const { user } = useViewer();
  const isBack = useQueryString().size > 0;
  const hasMore = passkeys.length > 0 || isOn || isConnected || !hasPassword;
  return hasMore || isBack || user?.needsSecondFactor === true;
}

/**
 * The title of the fold with the feed, the address for posts and the access tokens, and whether one is used.
 */
function usePrograms(): { title: string; isUsed: boolean } {
  const call = useCall();
  const { can } = useViewer();
  const { tokens } = useSuspenseQuery(operationQuery(call, 'listAccessTokens', {})).data;
  const { feed } = useSuspenseQuery(operationQuery(call, 'getPersonalFeed', {})).data;
  const { address, isOffered } = useSuspenseQuery(operationQuery(call, 'getPostAddress', {})).data;
  return {
    title: can.write && isOffered ? 'Feeds, programs and posts by email' : 'Feeds and programs',
    isUsed: tokens.length > 0 || feed !== null || address !== null,
  };
}

type Session = Output<'getAccount'>['sessions'][number];

function Sessions({ sessions, canUseTokens }: { sessions: readonly Session[]; canUseTokens: boolean }) {
  const { call, client } = useOperations();
  const everywhere = useSignOut('signOutEverywhere');
  const dialogs = useDialogs();
  const { can, user } = useViewer();
  const invites = can.administer || user?.needsSecondFactor;
  const revoked = `Your access tokens${invites ? ' and the invitations that you have made' : ''} are revoked, too.`;
  const signOutEverywhere = async () => {
    const isSure = await dialogs.confirm(
      `Sign out on all devices, this one included?${canUseTokens ? ` ${revoked}` : ''}`,
      { action: 'Sign out', isDangerous: true },
    );
    if (isSure) await everywhere.signOut();
  };
  const title = useRef<HTMLHeadingElement>(null);
  const end = useMutation({
    mutationFn: (sessionId: string) => call('endSession', { sessionId }),
    onSettled: () => client.invalidateQueries({ queryKey: ['getAccount'] }),
  });
  const failure = end.error ?? everywhere.error;
  return (
    <Section title="Signed in" heading={title}>
      {failure !== null && <Notice text={failure.message} />}
      <ul>
        {sessions.map(session => (
          <SessionItem
            key={session.id}
            session={session}
            isBusy={end.isPending}
            onEnd={() => {
              end.mutate(session.id);
              // The focused button is removed with its row.
              title.current?.focus();
            }}
          />
        ))}
      </ul>
      <div className="acts">
        <BusyButton isBusy={everywhere.isBusy} onClick={signOutEverywhere}>
          Sign out everywhere
        </BusyButton>
      </div>
      <NeedsScripts />
    </Section>
  );
}

type SessionItemProps = { session: Session; isBusy: boolean; onEnd(): void };

function SessionItem({ session, isBusy, onEnd }: SessionItemProps) {
  return (
    <li className="entry">
      <strong>{deviceName(session.device)}</strong>
      <p>
        <span>{session.isCurrent ? 'This browser, since ' : 'Since '}</span>
        <DateTime moment={session.createdAt} withTime />
        {!session.isCurrent && (
          <span>
            , last used <DateTime moment={session.lastUsedAt} withTime />
          </span>
        )}
      </p>
      <p className="hint">
        {session.isLong ? 'Stays signed in' : 'Until the browser is closed, a day at most'}
      </p>
      {!session.isCurrent && (
        <RowAction
          verb="Sign out"
          name={deviceName(session.device)}
          isDangerous
          disabled={isBusy}
          onClick={onEnd}
        />
      )}
    </li>
  );
}

function Download() {
  const call = useCall();
  const place = useRef<HTMLDivElement>(null);
  const download = useMutation({
    mutationFn: () => wholeExport(call, () => place.current !== null),
    onSuccess: data =>
      saveFile('account.json', new Blob([JSON.stringify(data, null, 2)], { type: 'application/json' })),
  });
  return (
    <>
      <p>Everything this site stores about your account, in one file.</p>
      {download.isError && <Notice text={download.error.message} />}
      <div className="acts" ref={place}>
        <BusyButton isBusy={download.isPending} onClick={() => download.mutate()}>
          Download your data
        </BusyButton>
      </div>
      <NeedsScripts />
    </>
  );
}
