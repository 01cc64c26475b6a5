import { createHmac, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { BrowserContext } from '@playwright/test';
import { hashPassword } from 'better-auth/crypto';
import type { RunningSite } from './site.ts';

/**
 * Accounts and sessions straight into a site's database, which its server notices: a test that is not about signing up
 * or in need not wait for a command to start and a password to be hashed. `login.spec.ts` and `foundation.spec.ts` go
 * the long way.
 */

export const adminPassword = 'quincey morris';
export const memberPassword = 'arthur';

/** The site's own database, which another process may write to. */
export function withDatabase<T>(site: RunningSite, use: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(join(site.dataDir, 'coterie.db'), { timeout: 5_000 });
  try {
    return use(db);
  } finally {
    db.close();
  }
}

type Account = {
  username: string;
  name: string;
  password?: string;
  status?: 'pending' | 'approved' | 'denied';
  isAdmin?: boolean;
  /** Approved tags, which the site has already. */
  tags?: readonly string[];
};

/** Each password is hashed once in a worker, as better-auth does. */
const hashes = new Map<string, Promise<string>>();
function hashOf(password: string): Promise<string> {
  const hash = hashes.get(password) ?? hashPassword(password);
  hashes.set(password, hash);
  return hash;
}

const newId = () => randomBytes(12).toString('base64url');

/** An account that logs in with its password, or by `startSession`. */
export async function addAccount(
  site: RunningSite,
  { username, name, password = memberPassword, status = 'approved', isAdmin = false, tags = [] }: Account,
): Promise<void> {
  const hash = await hashOf(password);
  const id = newId();
  const date = new Date().toISOString();
  const at = (wanted: string) => (status === wanted ? Date.now() : null);
  withDatabase(site, db => {
    db.exec('begin immediate');
    db.prepare(
      `insert into users (id, name, email, email_verified, created_at, updated_at, username, display_username,
         is_admin, status, approved_at, denied_at) values (?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ).run(
      id,
      name,
      `${username}@example.com`,
      date,
      date,
      username.toLowerCase(),
      username,
      Number(isAdmin),
      status,
      at('approved'),
      at('denied'),
    );
    db.prepare(
      `insert into accounts (id, account_id, provider_id, user_id, password, created_at, updated_at)
         values (?, ?, 'credential', ?, ?, ?, ?)`,
    ).run(newId(), id, id, hash, date, date);
    for (const tag of tags) {
      db.prepare('insert into approved_tags select ?, id from tags where name = ?').run(id, tag);
    }
    db.exec('commit');
  });
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

/** Signs a browser in as somebody who has an account, with a session as better-auth makes it. */
export async function startSession(
  site: RunningSite,
  context: BrowserContext,
  username: string,
): Promise<void> {
  const token = newId() + newId();
  const now = new Date();
  const secret = withDatabase(site, db => {
    db.prepare(
      `insert into sessions (id, token, user_id, expires_at, created_at, updated_at)
         select ?, ?, id, ?, ?, ? from users where username = ?`,
    ).run(
      newId(),
      token,
      new Date(now.getTime() + 86_400_000).toISOString(),
      now.toISOString(),
      now.toISOString(),
      username.toLowerCase(),
    );
    return String(db.prepare("select value from settings where name = 'secret'").get()?.value);
  });
  const signature = createHmac('sha256', secret).update(token).digest('base64');
  const value = encodeURIComponent(`${token}.${signature}`);
  await context.addCookies([{ name: 'coterie-session', value, url: site.url, httpOnly: true }]);
}
