import { formatDateTime } from '../../contract/date.ts';
import { type MailSite, type Written, writeLetter } from './letter.ts';

/** The content of a notice besides its kind. It contains no secret, and nothing about another address. */
export type NoticeDetail = {
  /** The owner's name for what it is about: a token, a provider, a browser. */
  name?: string;
  /** The network of the actor, as limits count it. */
  address?: string | null;
  /** When, in milliseconds. */
  at?: number;
};

type Happening = { username: string; name: string | undefined; where: string };
type Notice = {
  /** Without the final ‘at’ and the name of the site. */
  title: string;
  text: string;
  /** What to do instead of choosing a new password. */
  otherwise?: string;
};

/** A thing with its owner's name for it, if that may be told. */
const called = (what: string, name: string | undefined) =>
  name === undefined ? `a ${what}` : `the ${what} “${name}”`;

/**
 * Notices to the owner of an account, so that nobody else changes it unnoticed. A new one is a line here, and
 * `queueNotice` in the transaction that makes the change.
 */
const notices = {
  'new-sign-in': ({ username, name, where }) => ({
    title: 'New sign-in',
    text: `Somebody, probably you, logged in as ${username} with a browser or program that has not done so before: ${name}${where}.`,
  }),
  'password-changed': ({ username, where }) => ({
    title: 'Your password was changed',
    text: `The account ${username} has a new password${where}.`,
  }),
  'address-change-requested': ({ username }) => ({
    title: 'A change of email address was requested',
    text: `Somebody, probably you, asked to change the email address of the account ${username}. It changes when the link that we sent to the new address is opened; a new password cancels it.`,
  }),
  'address-changed': ({ username }) => ({
    title: 'Your email address was changed',
    text: `The account ${username} now uses this email address. You log in with it from now on.`,
  }),
  'address-left': ({ username }) => ({
    title: 'Your email address was changed',
    text: `The account ${username} now uses another email address. This is the last email to this one.`,
    otherwise: 'contact an admin of the site immediately.',
  }),
  'token-made': ({ username, name }) => ({
    title: 'An access token was created',
    text: `With ${called('token', name)} a program can act as ${username}.`,
  }),
  'passkey-added': ({ username, name }) => ({
    title: 'A passkey was added',
    text: `The account ${username} can now be opened with ${called('passkey', name)}, too. A new password does not end it.`,
    otherwise: 'log in, remove the passkey on your account page, and choose a new password.',
  }),
  'passkey-removed': ({ username, name }) => ({
    title: 'A passkey was removed',
    text: `The account ${username} can no longer be opened with ${called('passkey', name)}.`,
  }),
  'unproven-passkeys-removed': ({ username }) => ({
    title: 'Passkeys were removed',
    text: `You have just shown that you read this mailbox. Passkeys that were added to the account ${username} before no longer open it, because somebody else could have added them. If they are yours, add them again on your account page.`,
  }),
  'second-factor-on': ({ username }) => ({
    title: 'The second factor was turned on',
    text: `Logging in as ${username} takes a code of an app from now on.`,
    otherwise:
      'use one of your recovery codes, or ask an admin of the site: somebody else had your account open.',
  }),
  'second-factor-off': ({ username }) => ({
    title: 'The second factor was turned off',
    text: `Logging in as ${username} takes no code any more.`,
  }),
  'recovery-codes-made': ({ username }) => ({
    title: 'New recovery codes were made',
    text: `The recovery codes of ${username} from before no longer work.`,
  }),
  'recovery-code-used': ({ username }) => ({
    title: 'A recovery code was used',
    text: `Somebody, probably you, logged in as ${username} with a recovery code. It does not work again.`,
  }),
  'provider-connected': ({ username, name }) => ({
    title: `${name} was connected`,
    text: `The account ${username} can now be opened with ${name}, too.`,
  }),
  'account-deleted': ({ username, where }) => ({
    title: 'Your account was deleted',
    text: `The account ${username} was deleted${where}. This is the last email to it.`,
    otherwise: 'contact an admin of the site immediately.',
  }),
} as const satisfies Record<string, (happening: Happening) => Notice>;

export type NoticeKind = keyof typeof notices;

/** Notices that contain a name chosen by whoever uses the account. */
const namedByUser: ReadonlySet<NoticeKind> = new Set(['token-made', 'passkey-added', 'passkey-removed']);

/**
 * The mail of a notice. `isProven`: whether its reader has proved to read the mailbox; otherwise a stranger
 * may use the account, and nothing that they wrote is mailed.
 */
export function noticeMail(
  site: MailSite,
  kind: NoticeKind,
  { username, isProven, address, at, ...detail }: NoticeDetail & { username: string; isProven: boolean },
): Written {
  const name = isProven || !namedByUser.has(kind) ? detail.name : undefined;
  const when =
    at === undefined
      ? ''
      : `, ${formatDateTime(new Date(at).toISOString(), { ...site, dateLanguage: 'en-US' })} (${site.timeZone})`;
  const from = address ? `, from the address ${address}` : '';
  const { title, text, otherwise }: Notice = notices[kind]({ username, name, where: when + from });
  const act =
    otherwise ??
    'choose a new password now: this signs you out everywhere, and ends tokens and links that somebody else may have made. Then look through the passkeys on your account page: they stay.';
  return writeLetter(site, {
    subject: `${title} at ${site.title}`,
    heading: title,
    paragraphs: [text, `If this wasn’t you, ${act}`],
    ...(otherwise === undefined && {
      action: { label: 'Choose a new password', url: `${site.publicUrl}/forgot-password` },
      footer: [{ text: 'Your account', url: `${site.publicUrl}/account` }],
    }),
  });
}
