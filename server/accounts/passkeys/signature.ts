import type { Kysely } from 'kysely';
import { SignatureRequest, type Signed } from '../../../contract/accounts/passkeys.ts';
import { accountOf } from '../../access/viewer.ts';
import type { PasskeyRow, Tables } from '../../db/tables.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { AccountInvocation } from '../context.ts';
import { noteConfirmation } from '../sign-in/passwords.ts';
import { signInWithoutPassword } from '../sign-in/sign-in-without-password.ts';
import {
  consumeChallenge,
  isChallengeFor,
  makeChallenge,
  type Purpose,
  passkeyRefused,
  setVisitorCookie,
  visitorCookie,
} from './challenge.ts';
import { descriptorOf, passkeyRows } from './read.ts';
import { relyingParty } from './write.ts';

/**
 * The options for a passkey's signature. For a visitor who logs in they name no passkeys, so they reveal
 * none; for a signed-in user they serve to confirm their identity.
 */
export async function describeSignature(invocation: AccountInvocation): Promise<SignatureRequest> {
  const { viewer, credential, db } = invocation;
  const { generateAuthenticationOptions } = await import('./library.ts');
  const options = await generateAuthenticationOptions({
    rpID: relyingParty(invocation).id,
    userVerification: 'required',
    ...(viewer.user === null
      ? { challenge: makeChallenge(invocation, 'sign-in', setVisitorCookie(invocation)) }
      : {
          challenge: makeChallenge(invocation, 'confirm', credential?.id ?? ''),
          allowCredentials: (await passkeyRows(db, viewer.user.id)).map(descriptorOf),
        }),
  });
  return SignatureRequest.parse({ ...options, allowCredentials: options.allowCredentials ?? [] });
}

/**
 * Starts a session for the owner of a passkey. Passkeys verify their user, so this counts as a second factor
 * too. Returns the account's id. Throws unauthenticated for any failure.
 */
export async function signInWithPasskey(
  invocation: AccountInvocation,
  { signed, isLong }: { signed: Signed; isLong: boolean },
): Promise<string> {
  const used = await checkSignature(invocation, signed, 'sign-in', visitorCookie(invocation));
  await signInWithoutPassword(invocation, used.row.user_id, {
    holds: trx => consume(trx, invocation, used),
    hasSecondFactor: true,
    isLong,
  });
  return used.row.user_id;
}

/**
 * Records in the session that its owner has confirmed their identity. Throws as {@link signInWithPasskey}.
 */
export async function confirmWithPasskey(invocation: AccountInvocation, signed: Signed): Promise<void> {
  const { viewer, credential } = invocation;
  const used = await checkSignature(invocation, signed, 'confirm', credential?.id);
  if (used.row.user_id !== accountOf(viewer).id) throw passkeyRefused();
  await inTransaction(invocation, async trx => {
    if (!(await consume(trx, invocation, used))) throw passkeyRefused();
    if (!(await noteConfirmation(trx, credential, invocation.clock()))) throw passkeyRefused();
  });
}

/** A verified assertion: passkey row, challenge, signature counter. */
type UsedPasskey = { row: PasskeyRow; challenge: string; counter: number };

async function checkSignature(
  invocation: AccountInvocation,
  signed: Signed,
  purpose: Purpose,
  holder: string | undefined,
): Promise<UsedPasskey> {
  const row = await invocation.db
    .selectFrom('passkeys')
    .selectAll()
    .where('credential_id', '=', signed.id)
    .executeTakeFirst();
  if (row === undefined || holder === undefined || !isHandleOf(signed, row)) throw passkeyRefused();
  const { origin, id } = relyingParty(invocation);
  let challenge = '';
  try {
    const { verifyAuthenticationResponse } = await import('./library.ts');
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { ...signed, clientExtensionResults: {} },
      expectedChallenge: given => {
        challenge = given;
        return isChallengeFor(invocation, given, purpose, holder);
      },
      expectedOrigin: origin,
      expectedRPID: id,
      credential: {
        id: row.credential_id,
        publicKey: new Uint8Array(Buffer.from(row.public_key, 'base64url')),
        counter: row.counter,
      },
      requireUserVerification: true,
    });
    if (!verified) throw passkeyRefused();
    return { row, challenge, counter: authenticationInfo.newCounter };
  } catch (error) {
    invocation.log.info({ err: error }, 'a passkey was refused');
    throw passkeyRefused();
  }
}

/** Whether a passkey that names an account names its own. */
function isHandleOf({ response }: Signed, { user_id }: PasskeyRow): boolean {
  return (
    response.userHandle === undefined || Buffer.from(response.userHandle, 'base64url').toString() === user_id
  );
}

/**
 * Consumes an assertion within a transaction. False if it was already used, or if the passkey was removed or
 * has made a newer signature.
 */
async function consume(
  trx: Kysely<Tables>,
  invocation: AccountInvocation,
  { row, challenge, counter }: UsedPasskey,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('passkeys')
    .set({ counter, last_used_at: invocation.clock() })
    .where('id', '=', row.id)
    .where('counter', '=', row.counter)
    .executeTakeFirst();
  return numUpdatedRows === 1n && (await consumeChallenge(trx, invocation, challenge));
}
