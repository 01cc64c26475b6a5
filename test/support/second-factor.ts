import { TOTP } from 'otpauth';
import { signInMethod } from '../../server/accounts/sign-in/insert.ts';
import { type Person, post, type Site } from './site.ts';

/** The password of every {@link owner}. */
export const password = 'quincey1';
export const minute = 60_000;

/** How long a code of the app is good, in milliseconds. */
export const step = 30_000;
export const form = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' };

export type Owner = NonNullable<Person> & { email: string; secret: string; recoveryCodes: string[] };

export const codeNow = (s: Site, secret: string) =>
  new TOTP({ secret }).generate({ timestamp: s.deps.clock() });

/**
 * A member with a password who has turned on the second factor. The code of this moment is used up by that.
 */
export async function owner(s: Site, name: string): Promise<Owner> {
  const person = await s.member([], name);
  const method = signInMethod({
    userId: person.id,
    passwordHash: await s.deps.hashing.hash(password),
    createdAt: 0,
  });
  await s.deps.db.insertInto('sign_in_methods').values(method).execute();
  const { secret } = await s.call(person, 'requestSecondFactor', {});
  const code = codeNow(s, secret);
  const { recoveryCodes } = await s.call(person, 'turnOnSecondFactor', { secret, code });
  return { ...person, email: `${name}@example.com`, secret, recoveryCodes };
}

/** What an OpenID provider tells of an owner who logged in there at `shownAt`, in milliseconds. */
export const atProvider = ({ email, username }: Owner, shownAt?: number) => ({
  issuer: 'https://provider.example',
  subject: username,
  email,
  isEmailVerified: true,
  name: username,
  username,
  shownAt,
  tags: [],
});

export const signIn = (s: Site, { email }: { email: string }, peer?: string) =>
  post(s, 'signIn', { email, password }, { peer });
export const giveCode = (s: Site, cookie: string, code: string, peer?: string) =>
  post(s, 'signInWithCode', { code }, { cookie, peer });
export const whoIs = async (s: Site, cookie: string) =>
  (await s.call({ id: '', username: '', cookie }, 'getViewer', {})).user?.username;
