import { type MadePasskey, PasskeyRequest } from '../../../contract/accounts/passkeys.ts';
import { AppError } from '../../../contract/errors.ts';
import { lockAccount } from '../../access/hold-rights.ts';
import { accountOf } from '../../access/viewer.ts';
import { createId } from '../../base/id.ts';
import type { Config } from '../../config.ts';
import { isDuplicate } from '../../db/dialect.ts';
import { inTransaction } from '../../db/transaction.ts';
import { recordHistory } from '../../history/write.ts';
import { queueNotice } from '../../mail/write.ts';
import type { AccountInvocation } from '../context.ts';
import { askRecentSignIn } from '../sign-in/passwords.ts';
import { consumeChallenge, isChallengeFor, makeChallenge } from './challenge.ts';
import { descriptorOf, passkeyRows } from './read.ts';

const maxPasskeys = 20;

/** The relying party of WebAuthn: passkeys are bound to the site's host and work only on its origin. */
export function relyingParty({ config }: { config: Config }) {
  const { hostname, origin } = new URL(config.publicUrl);
  return { id: hostname, origin };
}

/** The session that adds a passkey and that its challenge is bound to. Access tokens cannot add passkeys. */
function sessionOf({ credential }: AccountInvocation): string {
  return credential?.id ?? '';
}

/**
 * The options for a new passkey: discoverable, with user verification, so that it counts as both factors.
 * Throws failed-precondition if the account has the most passkeys, or without a recent sign-in.
 */
export async function describeNewPasskey(invocation: AccountInvocation): Promise<PasskeyRequest> {
  const { id, email, name } = accountOf(invocation.viewer);
  await askRecentSignIn(invocation);
  const rows = await passkeyRows(invocation.db, id);
  refuseTooMany(rows.length);
  const site = { ...relyingParty(invocation), name: (await invocation.settings()).title };
  const { generateRegistrationOptions } = await import('./library.ts');
  const options = await generateRegistrationOptions({
    rpName: site.name,
    rpID: site.id,
    userID: new Uint8Array(Buffer.from(id)),
    userName: email,
    userDisplayName: name,
    challenge: makeChallenge(invocation, 'add', sessionOf(invocation)),
    attestationType: 'none',
    excludeCredentials: rows.map(descriptorOf),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
  return PasskeyRequest.parse(options);
}

/**
 * Adds a passkey to the viewer's account, and mails them. Throws invalid-argument for a passkey that was not
 * made for this session and site, already-exists for a known one, and as {@link describeNewPasskey} does.
 */
export async function addPasskey(
  invocation: AccountInvocation,
  { name, passkey }: { name: string; passkey: MadePasskey },
): Promise<void> {
  const user = accountOf(invocation.viewer);
  const { credential, isSynced, challenge } = await checkNewPasskey(invocation, passkey);
  const now = invocation.clock();
  try {
    await inTransaction(invocation, async trx => {
      await lockAccount(trx, user.id);
      await invocation.requireRecentSignIn(trx);
      refuseTooMany((await passkeyRows(trx, user.id)).length);
      if (!(await consumeChallenge(trx, invocation, challenge))) throw notMadeHere();
      const id = createId();
      await trx
        .insertInto('passkeys')
        .values({
          id,
          user_id: user.id,
          name,
          credential_id: credential.id,
          public_key: Buffer.from(credential.publicKey).toString('base64url'),
          counter: credential.counter,
          transports: (credential.transports ?? []).join(' '),
          is_synced: isSynced,
          created_at: now,
          last_used_at: null,
        })
        .execute();
      await queueNotice(trx, now, user.id, 'passkey-added', { name });
      await recordHistory(trx, invocation, { kind: 'passkey-added', user: user.id, thing: { id, name } });
    });
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    throw new AppError('already-exists', 'This passkey is known already.');
  }
}

async function checkNewPasskey(invocation: AccountInvocation, passkey: MadePasskey) {
  const { origin, id } = relyingParty(invocation);
  let challenge = '';
  try {
    if (await hasCertificates(passkey)) throw notMadeHere();
    const { verifyRegistrationResponse } = await import('./library.ts');
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: { ...passkey, clientExtensionResults: {} },
      expectedChallenge: given => {
        challenge = given;
        return isChallengeFor(invocation, given, 'add', sessionOf(invocation));
      },
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: true,
    });
    if (!verified) throw notMadeHere();
    const { credential, credentialDeviceType } = registrationInfo;
    return { credential, isSynced: credentialDeviceType === 'multiDevice', challenge };
  } catch (error) {
    // The library's errors contain what was sent and what was expected.
    invocation.log.info({ err: error }, 'a new passkey was refused');
    throw notMadeHere();
  }
}

/**
 * Whether a passkey comes with certificates of its device. Browsers send none unless asked (WebAuthn Level 3,
 * section 5.1.3). They name an address for revocations, chosen by the sender, which the library would fetch.
 */
async function hasCertificates({ response }: MadePasskey): Promise<boolean> {
  const { decodeAttestationObject, isoBase64URL } = await import('./library.ts');
  const made = decodeAttestationObject(isoBase64URL.toBuffer(response.attestationObject));
  const format = made.get('fmt');
  const isOwnSignature = format === 'packed' && made.get('attStmt').get('x5c') === undefined;
  return format !== 'none' && !isOwnSignature;
}

function notMadeHere(): AppError {
  return new AppError('invalid-argument', 'This passkey could not be added. Please try again.');
}

function refuseTooMany(count: number): void {
  if (count < maxPasskeys) return;
  throw new AppError('failed-precondition', `You have ${maxPasskeys} passkeys. Remove one first.`);
}

/** Renames a passkey. Throws not-found for one of another account. */
export async function renamePasskey(
  invocation: AccountInvocation,
  passkeyId: string,
  name: string,
): Promise<void> {
  const userId = accountOf(invocation.viewer).id;
  await inTransaction(invocation, async trx => {
    const { numUpdatedRows } = await trx
      .updateTable('passkeys')
      .set({ name })
      .where('id', '=', passkeyId)
      .where('user_id', '=', userId)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw new AppError('not-found', 'This passkey has been removed.');
  });
}

/** Removes a passkey of this account, if it exists, and tells the owner by mail. */
export async function removePasskey(invocation: AccountInvocation, passkeyId: string): Promise<void> {
  const user = accountOf(invocation.viewer);
  await inTransaction(invocation, async trx => {
    await invocation.requireRecentSignIn(trx);
    const removed = await trx
      .deleteFrom('passkeys')
      .where('id', '=', passkeyId)
      .where('user_id', '=', user.id)
      .returning('name')
      .executeTakeFirst();
    if (removed === undefined) return;
    const { name } = removed;
    await queueNotice(trx, invocation.clock(), user.id, 'passkey-removed', { name });
    await recordHistory(trx, invocation, {
      kind: 'passkey-removed',
      user: user.id,
      thing: { id: passkeyId, name },
    });
  });
}
