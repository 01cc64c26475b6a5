import { Secret, TOTP } from 'otpauth';
import { Authenticator } from '../authenticator.ts';
import { newAccount } from './model/account-acts.ts';
import { labelOf, signInLinkMs } from './model/way-acts.ts';
import { emailOf, type World } from './model/world.ts';
import type { DeedOf } from './steps.ts';
import { type Ask, callOf, resultOf, type Wire } from './wire.ts';

/** By whom something is asked, and how: what every request of a step has in common. */
export type Sending = {
  world: World;
  wire: Wire;
  process: number;
  /** The clock of the site. */
  now: number;
  headers: Record<string, string>;
};

const origin = 'http://localhost:3000';

/** Joins by an invitation whose link somebody knows. */
export function joining({ world, headers }: Sending, { at, invitation }: DeedOf<'join'>): Ask | undefined {
  const { secret = '' } = world.invitations[invitation] ?? {};
  if (secret === '') return undefined;
  const { username, fullName: name, password } = newAccount(at, {});
  const account = { username, name, email: `${username}@example.com`, password };
  return callOf('joinByInvitation', { token: secret, ...account }, headers);
}

/** Signs in with the password; where the account asks for a second factor, as far as the page that asks for the code. */
export async function signingIn(
  { world, wire, process, headers }: Sending,
  { who }: DeedOf<'signIn'>,
  password: string,
): Promise<Ask | undefined> {
  const account = world.accounts[who];
  if (account === undefined) return undefined;
  const ask = callOf('signIn', { email: emailOf(account), password }, headers);
  const [code] = account.codes ?? [];
  if (code === undefined || password !== account.password || !account.hasPassword || account.isGone)
    return ask;
  return await withCode(wire, process, ask, code);
}

/** Uses the link that was mailed last; where the account has a second factor, as far as the page that asks for the code. */
export async function signingByLink(
  { world, wire, process, headers }: Sending,
  { who }: DeedOf<'signInByLink'>,
): Promise<Ask | undefined> {
  const account = world.accounts[who];
  const link = account?.signInLink;
  if (account === undefined || link === undefined) return undefined;
  // The site's clock is not known to the second.
  if (Math.abs(world.now - link.madeAt - signInLinkMs) < 60_000) return undefined;
  const ask = callOf('signInByLink', { token: link.token }, headers);
  const [code] = account.codes ?? [];
  const isGood = link.isOpen && !account.isGone && world.now < link.madeAt + signInLinkMs;
  if (code === undefined || !isGood) return ask;
  return await withCode(wire, process, ask, code);
}

/** What says who somebody is, but for the code: sent at once, and the request that brings the code. */
async function withCode(wire: Wire, process: number, ask: Ask, code: string): Promise<Ask> {
  const { cookies } = await wire.send(process, { ...ask, isChange: true });
  const cookie = cookies.map(each => each.split(';')[0]).join('; ');
  return callOf('signInWithCode', { code }, { ...ask.headers, cookie });
}

/** Turns on a second factor with a code that an app makes of the secret. */
export async function turningOn({ wire, process, now, headers }: Sending): Promise<Ask> {
  const asked = resultOf(await wire.send(process, callOf('requestSecondFactor', {}, headers)));
  // Who may not ask for a secret makes one up, and is refused the same.
  const secret =
    'result' in asked ? (asked.result as { secret: string }).secret : new Secret({ size: 20 }).base32;
  const code = new TOTP({ secret }).generate({ timestamp: now });
  return callOf('turnOnSecondFactor', { secret, code }, headers);
}

/** Makes a passkey on the device of whoever asks. */
export async function addingPasskey(
  { wire, process, headers }: Sending,
  { at }: DeedOf<'addPasskey'>,
): Promise<Ask> {
  const asked = resultOf(await wire.send(process, callOf('requestPasskey', {}, headers)));
  const device = new Authenticator(origin);
  wire.devices.set(`y${at}`, device);
  const passkey =
    'result' in asked ? device.make(asked.result as Parameters<Authenticator['make']>[0]) : undefined;
  return callOf('addPasskey', { name: labelOf(`y${at}`), passkey }, headers);
}

/** Signs in with a passkey, in a browser that nobody is signed in with. */
export async function signingByPasskey(
  { wire, process, headers }: Sending,
  { passkey }: DeedOf<'signInByPasskey'>,
): Promise<Ask | undefined> {
  const device = wire.devices.get(passkey);
  if (device === undefined) return undefined;
  const answer = await wire.send(process, callOf('requestSignature', {}, headers));
  const asked = resultOf(answer);
  if ('refusal' in asked) throw new Error(`Nobody may sign: ${asked.refusal}`);
  const cookie = answer.cookies.map(each => each.split(';')[0]).join('; ');
  const signed = device.sign(asked.result as Parameters<Authenticator['sign']>[0]);
  return callOf('signInWithPasskey', { signed }, { ...headers, cookie });
}
