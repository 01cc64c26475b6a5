import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { BrowserContext } from '@playwright/test';
import type { Kysely } from 'kysely';
import { siteSecret } from '../../server/accounts/sessions/session-token.ts';
import { insertAccount } from '../../server/accounts/sign-in/insert.ts';
import { passwordHashing } from '../../server/accounts/sign-in/password-hashing.ts';
import { createId } from '../../server/base/id.ts';
import { openDatabase } from '../../server/db/connect.ts';
import type { Tables } from '../../server/db/tables.ts';
import { insertSession } from '../support/people.ts';
import type { RunningSite } from './site.ts';

/**
 * Writes accounts and sessions directly to a site's database, which its server notices: a test that is not
 * about signing up or in need not wait for a command to start and a password to be hashed. `login.spec.ts`
 * and `foundation.spec.ts` use the forms.
 */

export const adminPassword = 'quincey morris';
export const memberPassword = 'arthur';

/** The site's own database, which another process may write to. */
export function withDatabase<T>(site: RunningSite, use: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(join(site.dataDir, 'coterie.db'), { timeout: 60_000 });
  try {
    return use(db);
  } finally {
    db.close();
  }
}

export type NewAccount = {
  username: string;
  name: string;
  password?: string | undefined;
  status?: 'pending' | 'approved' | 'denied' | undefined;
  isAdmin?: boolean;
  /** Approved tags, which must exist on the site. */
  tags?: readonly string[] | undefined;
};

/** Each password is hashed once in a worker. */
const hashes = new Map<string, Promise<string>>();
function hashOf(password: string): Promise<string> {
  const hash = hashes.get(password) ?? passwordHashing.hash(password);
  hashes.set(password, hash);
  return hash;
}

/** The site's own database through the server's types, as another process of the site would open it. */
async function withTables<T>(site: RunningSite, use: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
  const { db, close } = await openDatabase({ databaseUrl: undefined, dataDir: site.dataDir }, 'nothing');
  try {
    return await use(db);
  } finally {
    await close();
  }
}

/** An account that logs in with its password, or by `startSession`. */
export async function addAccount(
  site: RunningSite,
  { username, name, password = memberPassword, status = 'approved', isAdmin = false, tags = [] }: NewAccount,
): Promise<void> {
  const hash = await hashOf(password);
  await withTables(site, db =>
    db.transaction().execute(async trx => {
      const user_id = createId();
      await insertAccount(trx, {
        id: user_id,
        email: `${username}@example.com`.toLowerCase(),
        isEmailVerified: false,
        username,
        name,
        passwordHash: hash,
        status,
        isAdmin,
        createdAt: Date.now(),
        decidedAt: null,
      });
      for (const tag of tags) {
        const { id } = await trx
          .selectFrom('tags')
          .select('id')
          .where('name', '=', tag)
          .executeTakeFirstOrThrow();
        await trx.insertInto('approved_tags').values({ user_id, tag_id: id }).execute();
      }
    }),
  );
}

/** Approves or denies somebody who has signed up, as another process of the site would. */
export function decide(site: RunningSite, username: string, status: 'approved' | 'denied'): void {
  withDatabase(site, db => {
    db.prepare(`update users set status = ?, ${status}_at = ? where username = ?`).run(
      status,
      Date.now(),
      username.toLowerCase(),
    );
  });
}

/** Signs a browser in as somebody who has an account, with a session as the site makes it. */
export async function startSession(
  site: RunningSite,
  context: BrowserContext,
  username: string,
): Promise<void> {
  const value = await withTables(site, async db => {
    const { id } = await db
      .selectFrom('users')
      .select('id')
      .where('username', '=', username.toLowerCase())
      .executeTakeFirstOrThrow();
    return await insertSession({ db, secret: await siteSecret(db), clock: Date.now }, id);
  });
  await context.addCookies([{ name: 'coterie-session', value, url: site.url, httpOnly: true }]);
}
