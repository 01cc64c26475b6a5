import { kyselyAdapter } from '@better-auth/kysely-adapter';
import { hashPassword } from 'better-auth/crypto';
import { type BetterAuthOptions, betterAuth } from 'better-auth/minimal';
import { bearer, username } from 'better-auth/plugins';
import type { Kysely } from 'kysely';
import * as limits from '../../../contract/constants.ts';
import { cookieName, cookieOptions } from '../../access/cookies.ts';
import type { Clock } from '../../base/clock.ts';
import { createId } from '../../base/id.ts';
import { newToken } from '../../base/secrets.ts';
import type { Config } from '../../config.ts';
import { dialectOf } from '../../db/dialect.ts';
import { readSetting, writeSettingOnce } from '../../db/setting.ts';
import type { Tables } from '../../db/tables.ts';
import { queueMail } from '../../mail/write.ts';
import { boundedHashing } from '../sign-in/bounded-hashing.ts';
import { verifyAnyPassword } from '../sign-in/imported-passwords.ts';
import { sessionsByLink } from './sessions-by-link.ts';

/**
 * How passwords are hashed. It takes a while on purpose; tests that are not about that hand in what takes
 * none.
 */
export type PasswordHashing = {
  hash(password: string): Promise<string>;
  /** Whether a password is the one of a hash, an imported one too. False for a hash that nothing can read. */
  verify(tried: { hash: string; password: string }): Promise<boolean>;
};

export type Auth = ReturnType<typeof createAuth>;

/** Carries the network that asks to where a session is made; set by `credentialHeaders`, and by no client. */
export const peerHeader = 'x-coterie-peer';
/** Carries there that the session shall be short; set as {@link peerHeader} is. */
export const shortSessionHeader = 'x-coterie-short-session';

const hour = 60 * 60;
const day = 24 * hour;
/**
 * How long a long session lasts without being used, and after how long its end moves with its use. Seconds.
 */
const longSession = { lasts: 30 * day, renewedAfter: hour };

/** When using a long session moves its end again, in milliseconds of the time of day. */
export function renewalOf(expiresAt: Date): number {
  return expiresAt.getTime() - (longSession.lasts - longSession.renewedAfter) * 1_000;
}

/** What better-auth stores: the tables with the names of its fields in them, and how long sessions last. */
const records = {
  user: {
    modelName: 'users',
    additionalFields: { introduction: { type: 'string', required: false, returned: false } },
    fields: { emailVerified: 'email_verified', createdAt: 'created_at', updatedAt: 'updated_at' },
  },
  account: {
    modelName: 'accounts',
    fields: {
      accountId: 'account_id',
      providerId: 'provider_id',
      userId: 'user_id',
      accessToken: 'access_token',
      refreshToken: 'refresh_token',
      idToken: 'id_token',
      accessTokenExpiresAt: 'access_token_expires_at',
      refreshTokenExpiresAt: 'refresh_token_expires_at',
      createdAt: 'created_at',
      updatedAt: 'updated_at',
    },
  },
  session: {
    modelName: 'sessions',
    expiresIn: longSession.lasts,
    updateAge: longSession.renewedAfter,
    // Only long sessions are renewed, which sessions.ts asks for.
    deferSessionRefresh: true,
    additionalFields: { isLong: { type: 'boolean', required: false, input: false, fieldName: 'is_long' } },
    fields: {
      userId: 'user_id',
      expiresAt: 'expires_at',
      ipAddress: 'ip_address',
      userAgent: 'user_agent',
      createdAt: 'created_at',
      updatedAt: 'updated_at',
    },
  },
  verification: {
    modelName: 'verifications',
    // Stored as a hash: somebody who reads the database cannot use a link that was mailed.
    storeIdentifier: 'hashed',
    fields: { expiresAt: 'expires_at', createdAt: 'created_at', updatedAt: 'updated_at' },
  },
} as const satisfies BetterAuthOptions;

/** Gives a new session its length and the network that asked, both from the headers above. */
const sessionHooks: BetterAuthOptions['databaseHooks'] = {
  session: {
    create: {
      before: async (session, context) => {
        const headers = context?.headers;
        const isLong = !headers?.has(shortSessionHeader);
        const ends = isLong ? {} : { expiresAt: new Date(Date.now() + day * 1_000) };
        return { data: { ...session, ...ends, isLong, ipAddress: headers?.get(peerHeader) ?? null } };
      },
    },
  },
};

/**
 * Accounts, passwords and sessions, by better-auth. Its own HTTP routes are not mounted: it is called by our
 * operations only, so that every account change passes one surface, one validation and one set of limits.
 * Addresses are confirmed and changed by email.ts: better-auth's links for that are signed tokens, which
 * nothing can end.
 */
export function createAuth(
  db: Kysely<Tables>,
  config: Config,
  secret: string,
  clock: Clock,
  hashing: PasswordHashing = { hash: hashPassword, verify: verifyAnyPassword },
) {
  return betterAuth({
    ...records,
    baseURL: config.publicUrl,
    secret,
    telemetry: { enabled: false },
    logger: { disabled: true },
    database: kyselyAdapter(db, {
      type: dialectOf(db).engine === 'postgres' ? 'postgres' : 'sqlite',
      transaction: true,
    }),
    advanced: {
      database: {
        generateId: createId,
        // Each start would ask for the columns of all tables. The migrations are compared before, and a test
        // holds that their tables are those that better-auth expects.
        validateSchema: false,
      },
      // better-auth would trust the header `X-Forwarded-For` of any client.
      ipAddress: { disableIpTracking: true },
      useSecureCookies: false,
      cookies: {
        session_token: { name: cookieName(config, 'session'), attributes: cookieOptions(config) },
      },
    },
    databaseHooks: sessionHooks,
    emailAndPassword: {
      enabled: true,
      minPasswordLength: limits.password.min,
      // The contract bounds new ones; one that is typed to sign in may have come with an import (decisions.md
      // 34).
      maxPasswordLength: limits.typedPasswordMaxCharacters,
      password: boundedHashing(hashing),
      resetPasswordTokenExpiresIn: hour,
      sendResetPassword: ({ user, token }) =>
        queueMail(db, clock(), { kind: 'reset', userId: user.id, data: { token } }),
    },
    plugins: [
      username({
        minUsernameLength: limits.username.min,
        maxUsernameLength: limits.username.max,
        usernameValidator: name => limits.username.pattern.test(name),
        schema: { user: { fields: { displayUsername: 'display_username' } } },
      }),
      sessionsByLink(),
      bearer(),
    ],
  });
}

/**
 * What sessions are signed with: made once per site and kept in its database, so every process signs alike.
 */
export async function siteSecret(db: Kysely<Tables>): Promise<string> {
  const known = await readSetting(db, 'secret');
  if (known !== undefined) return known;
  await writeSettingOnce(db, 'secret', newToken(32));
  return await siteSecret(db);
}
