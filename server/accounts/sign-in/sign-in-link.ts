import { type Kysely, sql } from 'kysely';
import { moment } from '../../../contract/date.ts';
import { AppError } from '../../../contract/errors.ts';
import type { Output } from '../../../contract/operations.ts';
import { isUnproven, type Viewer } from '../../access/viewer.ts';
import { digestOf, newToken, signInCode } from '../../base/secrets.ts';
import type { Tables } from '../../db/tables.ts';
import { type DbContext, inTransaction, unguarded } from '../../db/transaction.ts';
import { forgetBounces } from '../../mail/bounces.ts';
import { queueMail } from '../../mail/write.ts';
import { endAccess, removeUnprovenPasskeys } from '../sessions/end-access.ts';
import type { SignInDeps } from '../sessions/new-session.ts';
import { linkOver, openLinks } from './mailed-links.ts';
import { signInWithoutPassword } from './sign-in-without-password.ts';

const minute = 60_000;

/** How long a link works. */
const lifeMs = 15 * minute;
/** While a link is younger than this, no second one is mailed. */
const resendMs = 5 * minute;

/**
 * Mails a link that signs in once to the account with this address. Without such an account it runs the same
 * statements, so that neither answer nor time reveals it: a mail without a link row is dropped at sending.
 */
export async function requestSignInLink(
  { db, clock }: DbContext,
  { email, next }: { email: string; next?: string | undefined },
): Promise<void> {
  const now = clock();
  const token = newToken();
  const digest = digestOf(token);
  const expiresAt = now + lifeMs;
  await inTransaction({ db, ...unguarded }, async trx => {
    await trx
      .insertInto('email_links')
      .columns(['digest', 'user_id', 'email', 'purpose', 'expires_at'])
      .expression(
        trx
          .selectFrom('users')
          .select([
            sql<string>`cast(${digest} as text)`.as('digest'),
            'users.id',
            'users.email',
            sql<'sign-in'>`cast('sign-in' as text)`.as('purpose'),
            sql<number>`cast(${expiresAt} as bigint)`.as('expires_at'),
          ])
          .where('users.email', '=', email)
          .where(({ not, exists, selectFrom }) =>
            not(
              exists(
                selectFrom('email_links')
                  .select('email_links.digest')
                  .whereRef('email_links.user_id', '=', 'users.id')
                  .where('purpose', '=', 'sign-in')
                  .where('email_links.expires_at', '>', expiresAt - resendMs),
              ),
            ),
          ),
      )
      .execute();
    const data = { token, linkDigest: digest, ...(next !== undefined && { next }) };
    await queueMail(trx, now, { kind: 'sign-in', userId: null, data });
  });
}

/** The account that a link signs in; null if the link is no longer valid. Does not use it up. */
export async function describeSignInLink(
  { viewer, ...context }: DbContext & { viewer: Viewer },
  token: string,
): Promise<Output<'getSignInLink'>['link']> {
  const found = await findLink(context, digestOf(token));
  if (found === undefined) return null;
  const isFirstProof = isUnproven(found);
  const isConfirming = found.id === viewer.user?.id && !isFirstProof;
  return { username: found.username, isFirstProof, isConfirming };
}

async function findLink(context: DbContext, digest: string) {
  return await signInLinks(context).where('digest', '=', digest).executeTakeFirst();
}

function signInLinks(context: DbContext) {
  return (
    openLinks(context, 'sign-in')
      .select(['users.id', 'display_username as username', 'email_verified', 'is_admin', 'digest'])
      // A link mailed to a former address would open the account to the current reader of that mailbox.
      .whereRef('email_links.email', '=', 'users.email')
  );
}

/** The mailed secret: the token of the link, or the code of the newest link to an address. */
type MailedSecret = { token: string } | { email: string; code: string };

/** The link that a code belongs to; undefined for a wrong code. */
async function linkOfCode(deps: SignInDeps, { email, code }: { email: string; code: string }) {
  const newest = await signInLinks(deps)
    .where('users.email', '=', email)
    .orderBy('expires_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  // An unproven account has no code: only the link's page says what a stranger who made it will lose.
  if (newest === undefined || isUnproven(newest)) return undefined;
  return signInCode(deps.secret, newest.digest) === code ? newest : undefined;
}

/**
 * Signs in to the account that a link was mailed to (`signInWithoutPassword`), and uses up all its links.
 * Returns the account's id. Throws failed-precondition for a used, expired or ended link, and for a wrong
 * code.
 */
export async function signInByLink(deps: SignInDeps, secret: MailedSecret, isLong: boolean): Promise<string> {
  const [found, over] =
    'token' in secret
      ? [await findLink(deps, digestOf(secret.token)), linkOver]
      : [await linkOfCode(deps, secret), codeOver];
  if (found === undefined) throw over();
  await signInWithoutPassword(deps, found.id, {
    holds: trx => useUp(trx, deps, found.digest),
    otherwise: over,
    isLong,
    // Somebody else may have made the account, so nothing set up in it stays valid.
    isAnew: isUnproven(found),
  });
  return found.id;
}

function codeOver(): AppError {
  return new AppError(
    'failed-precondition',
    'This is not the code of the newest email, or it is no longer valid. Please try again, or ask for a new one.',
  );
}

/** Within a transaction that has locked the account. Returns whether the link was still valid. */
async function useUp(
  trx: Kysely<Tables>,
  { clock, by }: Pick<SignInDeps, 'clock' | 'by'>,
  digest: string,
): Promise<boolean> {
  const user = await findLink({ db: trx, clock }, digest);
  if (user === undefined) return false;
  await trx
    .deleteFrom('email_links')
    .where('user_id', '=', user.id)
    .where('purpose', '=', 'sign-in')
    .execute();
  // The link arrived, so mails do.
  await forgetBounces(trx, user.id);
  if (user.email_verified) return true;
  if (isUnproven(user)) {
    // Nothing set up so far is known to be theirs: password, passkeys, sessions. A second factor stays: it
    // opens nothing, and a mail must not bypass it.
    await endAccess(trx, { clock }, user.id);
    await trx.deleteFrom('sign_in_methods').where('user_id', '=', user.id).execute();
    await removeUnprovenPasskeys(trx, { clock, by }, user.id);
  }
  await trx
    .updateTable('users')
    .set({ email_verified: true, updated_at: moment(clock()) })
    .where('id', '=', user.id)
    .execute();
  return true;
}
