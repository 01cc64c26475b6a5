import { Secret, TOTP } from 'otpauth';
import { Authenticator } from '../../support/authenticator.ts';
import { newAccount } from '../model/accounts.ts';
import { labelOf, signInLinkMs, type WayDeed } from '../model/way-acts.ts';
import { emailOf } from '../model/world.ts';
import type { DeedOf } from '../steps.ts';
import { type Ask, callOf, resultOf } from '../wire.ts';
import { callBy, namesOfTags, type Requests, type Sending } from './request.ts';

const origin = 'http://localhost:3000';

/**
 * The requests of the other ways in, and of what they need: links, invitations, second factors and passkeys.
 */
export const wayRequests: Requests<WayDeed> = {
  askSignInLink: (sending, { who }) => {
    const account = sending.world.accounts[who];
    return account && callBy(sending, 'requestSignInLink', { email: emailOf(account) });
  },
  signInByLink: signingByLink,
  confirm: (sending, { who }) => {
    const link = sending.world.accounts[who]?.link;
    return link ? callBy(sending, 'confirmEmail', { token: link.token }) : undefined;
  },
  invite: (sending, { at, tags, uses }) =>
    callBy(sending, 'createInvitations', {
      tags: namesOfTags(sending.world, tags),
      expiresInDays: 7,
      for: { name: labelOf(`i${at}`), uses },
    }),
  changeInvitation: (sending, { invitation, tags }) => {
    const known = sending.world.invitations[invitation];
    if (known === undefined) return undefined;
    return callBy(sending, 'setInvitationTags', {
      invitationId: known.id,
      tags: namesOfTags(sending.world, tags),
    });
  },
  revokeInvitation: (sending, { invitation }) => {
    const known = sending.world.invitations[invitation];
    return known && callBy(sending, 'revokeInvitation', { invitationId: known.id });
  },
  join: joining,
  acceptInvitation: (sending, { invitation }) => {
    const { secret = '' } = sending.world.invitations[invitation] ?? {};
    return secret === '' ? undefined : callBy(sending, 'acceptInvitation', { token: secret });
  },
  turnOnFactor: turningOn,
  turnOffFactor: sending => callBy(sending, 'turnOffSecondFactor'),
  requireFactor: (sending, { isRequired }) => callBy(sending, 'setAdminFactor', { isRequired }),
  addPasskey: addingPasskey,
  removePasskey: (sending, { passkey }) => {
    const known = sending.world.passkeys[passkey];
    return known && callBy(sending, 'removePasskey', { passkeyId: known.id });
  },
  signInByPasskey: signingByPasskey,
};

/** Joins by an invitation whose link somebody knows. */
function joining({ world, headers }: Sending, { at, invitation }: DeedOf<'join'>): Ask | undefined {
  const { secret = '' } = world.invitations[invitation] ?? {};
  if (secret === '') return undefined;
  const { username, fullName: name, password } = newAccount(at, {});
  const account = { username, name, email: `${username}@example.com`, password };
  return callOf('joinByInvitation', { token: secret, ...account }, headers);
}

/** Uses the newest mailed link. If the account has a second factor, returns the request with the code. */
async function signingByLink(sending: Sending, { who }: DeedOf<'signInByLink'>): Promise<Ask | undefined> {
  const { world, headers } = sending;
  const account = world.accounts[who];
  const link = account?.signInLink;
  if (account === undefined || link === undefined) return undefined;
  // The site's clock is not known to the second.
  if (Math.abs(world.now - link.madeAt - signInLinkMs) < 60_000) return undefined;
  const ask = callOf('signInByLink', { token: link.token }, headers);
  const [code] = account.codes ?? [];
  const isGood = link.isOpen && !account.isGone && world.now < link.madeAt + signInLinkMs;
  if (code === undefined || !isGood) return ask;
  return await withCode(sending, ask, code);
}

/** Sends a sign-in that needs a code besides, and returns the request with the code. */
export async function withCode({ wire, process }: Sending, ask: Ask, code: string): Promise<Ask> {
  const { cookies } = await wire.send(process, { ...ask, isChange: true });
  const cookie = cookies.map(each => each.split(';')[0]).join('; ');
  return callOf('signInWithCode', { code }, { ...ask.headers, cookie });
}

/** Turns on a second factor with a code that an app makes of the secret. */
async function turningOn({ wire, process, now, headers }: Sending): Promise<Ask> {
  const asked = resultOf(await wire.send(process, callOf('requestSecondFactor', {}, headers)));
  // Somebody who may not ask for a secret invents one, and is refused as well.
  const secret =
    'result' in asked ? (asked.result as { secret: string }).secret : new Secret({ size: 20 }).base32;
  const code = new TOTP({ secret }).generate({ timestamp: now });
  return callOf('turnOnSecondFactor', { secret, code }, headers);
}

/** Makes a passkey on the device of the person who asks. */
async function addingPasskey(
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
async function signingByPasskey(
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
