import { onTestFinished } from 'vitest';
import { account } from './factories.ts';
import type { withSmtp } from './mailing-site.ts';
import { changeUser } from './rows.ts';
import { type Location, openSite, type Person, post, type Site } from './site.ts';

export const minute = 60_000;

/** A site that sends mail, to a server that is asked only where a test sends. */
export async function mailingSite(location: Location, settings: Record<string, string> = {}): Promise<Site> {
  const s = await openSite(location, { SMTP_URL: 'smtp://127.0.0.1:9', ...settings });
  onTestFinished(s.close);
  return s;
}

/** An account that has confirmed its address, signed in. */
export async function confirmed(s: Site): Promise<NonNullable<Person>> {
  const { id, username, cookie } = await post(s, 'signUp', account);
  await changeUser(s, id, { email_verified: true });
  return { id, username, cookie };
}

/** The tokens in the mails on their way, the newest last; those of addresses without an account too. */
export async function tokens(s: Site): Promise<string[]> {
  const mails = await s.deps.db
    .selectFrom('mails')
    .select('data')
    .where('kind', '=', 'sign-in')
    .orderBy('created_at')
    .execute();
  return mails.map(mail => (JSON.parse(mail.data) as { token: string }).token);
}

/** A link for an account, asked for as a visitor does. */
export async function linkFor(s: Site, address = account.email): Promise<string> {
  s.wait(1);
  await s.call(null, 'requestSignInLink', { email: address });
  return (await tokens(s)).at(-1) ?? '';
}

/** The code in a mail that is asked for as by `linkFor`; empty where it has none. */
export async function codeFor(
  s: Site,
  { deliver }: Pick<Awaited<ReturnType<typeof withSmtp>>, 'deliver'>,
  address = account.email,
): Promise<string> {
  await linkFor(s, address);
  const letter = (await deliver()).findLast(({ text }) => text.includes('/sign-in?token='));
  return /: (\d{6})\b/.exec(letter?.text ?? '')?.[1] ?? '';
}

/** Logs in by a link, in the browser of this person. */
export const use = (s: Site, token: string, as: Person = null) =>
  post(s, 'signInByLink', { token }, { cookie: as?.cookie });

/** Who a browser is signed in as. */
export const viewerName = async (s: Site, as: Person) => (await s.call(as, 'getViewer', {})).user?.username;
