import type { NewAccount } from '../../../contract/accounts/sign-in.ts';
import { AppError } from '../../../contract/errors.ts';
import { isSigned, newToken, sign } from '../../base/secrets.ts';
import type { Config } from '../../config.ts';
import { readSetting, writeSettingOnce } from '../../db/setting.ts';
import { type DbContext, inTransaction, unguarded } from '../../db/transaction.ts';
import type { AccountInvocation } from '../context.ts';
import { hasAdmin } from '../members/read.ts';
import { makeAdminIn } from '../members/roles.ts';
import { handOver } from '../sessions/new-session.ts';
import { againIfTaken, prepareSignUp, signUpIn } from './sign-in.ts';

type Setup = Pick<DbContext, 'db'> & { secret: string };

/**
 * The one-time link that creates the first admin (decision 25); undefined once there is one. Every
 * process prints the same link: the database stores a random part, and the site's secret makes the token from
 * it.
 */
export async function setupLink(deps: Setup & { config: Config }): Promise<string | undefined> {
  const { db, config, secret } = deps;
  if (await hasAdmin(db)) return undefined;
  await writeSettingOnce(db, 'setup-token', newToken());
  const seed = await readSetting(db, 'setup-token');
  return seed && `${config.publicUrl}/setup?token=${sign(secret, 'setup', seed)}`;
}

/** The random part that a token was made from; undefined for an invalid token. */
async function seedOfToken(deps: Setup, token: string): Promise<string | undefined> {
  const seed = await readSetting(deps.db, 'setup-token');
  if (seed === undefined) return undefined;
  return isSigned(deps.secret, 'setup', seed, token) ? seed : undefined;
}

/** Whether a setup link is valid now. Does not use it up. */
export async function describeSetup(
  deps: Setup,
  token: string,
): Promise<{ isDone: boolean; isValid: boolean }> {
  if (await hasAdmin(deps.db)) return { isDone: true, isValid: false };
  return { isDone: false, isValid: (await seedOfToken(deps, token)) !== undefined };
}

/**
 * Creates the first admin and signs them in. Returns the account's id. Throws permission-denied for a wrong
 * or used token; the first to use it wins.
 */
export async function setUpSite(
  deps: AccountInvocation,
  token: string,
  account: NewAccount,
): Promise<string> {
  const { db } = deps;
  const seed = await seedOfToken(deps, token);
  if (seed === undefined) throw setupOver();
  const newcomer = await prepareSignUp(deps, account);
  // Nobody was signed in: the holder of the link makes themselves an admin.
  const by = deps.by && { ...deps.by, user: { id: newcomer.id, username: newcomer.username } };
  const session = await againIfTaken(() =>
    inTransaction({ db, ...unguarded }, async trx => {
      const claim = trx.deleteFrom('settings').where('name', '=', 'setup-token').where('value', '=', seed);
      const { numDeletedRows } = await claim.executeTakeFirst();
      if (numDeletedRows === 0n || (await hasAdmin(trx))) throw setupOver();
      const begun = await signUpIn(trx, deps, newcomer);
      await makeAdminIn(trx, { ...deps, by }, newcomer.id);
      return begun;
    }),
  );
  handOver(deps, session);
  return newcomer.id;
}

function setupOver(): AppError {
  return new AppError('permission-denied', 'This setup link is no longer valid.');
}
