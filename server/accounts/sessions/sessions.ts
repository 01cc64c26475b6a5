import { type Kysely, sql } from 'kysely';
import { moment } from '../../../contract/date.ts';
import { AppError } from '../../../contract/errors.ts';
import type { Scope } from '../../../contract/operation.ts';
import type { ReadContext, RequestContext } from '../../access/context.ts';
import { type Identity, requireScope, sessionCookies } from '../../access/credentials.ts';
import { currentVisitor, type Viewer, viewerOfUser } from '../../access/viewer.ts';
import { dayMs } from '../../base/clock.ts';
import type { Config } from '../../config.ts';
import { Cache, type DependsOn } from '../../db/changes/cache.ts';
import type { ChangeRecord } from '../../db/changes/record.ts';
import { dialectOf } from '../../db/dialect.ts';
import { unwrapOutage } from '../../db/outage.ts';
import type { Tables } from '../../db/tables.ts';
import type { DbContext } from '../../db/transaction.ts';
import type { Limits } from '../../limits/rate-limits.ts';
import { type Auth, peerHeader, renewalOf, shortSessionHeader } from './auth.ts';
import { findAccessToken, isAccessToken } from './tokens.ts';

/**
 * How long the viewer of a session or token is cached at most, in milliseconds. What ends them or changes
 * their rights drops the entry at once; a session is looked up again when it expires or when its use is to
 * prolong it.
 */
const maxAgeMs = { session: 10 * 60_000, token: 60_000 } as const;
/**
 * A session ends a year after it began, however much it is used; below that, its end moves with its use
 * (auth.ts). A cookie that was copied once, from a lost laptop or a backup, would otherwise be good for as
 * long as somebody uses it.
 */
export const sessionMaxMs = 365 * dayMs;
/** Sessions that an account has at a time, at most. */
const sessionsPerAccount = 50;

/** Whom a cookie or token identifies, and for how many milliseconds that may be cached. */
type Found = { identity: Identity; maxAgeMs: number };

type KnownSession = { expiresAt: Date; createdAt: Date; isLong?: boolean | null | undefined };

type SessionDeps = DbContext &
  ReadContext & {
    changes: ChangeRecord;
    auth: Auth;
    config: Config;
    limits: Limits;
  };

/** Turns the credentials of a request into a viewer. */
export class Sessions {
  readonly #deps: SessionDeps;
  readonly #found: Cache<Found>;

  constructor(deps: SessionDeps) {
    this.#deps = deps;
    this.#found = new Cache(deps.changes, {
      name: 'sessions',
      sizeOf: ({ identity }) => 500 + 50 * identity.viewer.tagIds.size,
      maxAgeMs: found => found.maxAgeMs,
    });
  }

  /**
   * The viewer that a request's cookie or bearer token stands for, and that session or token; a visitor
   * without one. A cookie that is no longer good makes a visitor, so that reading goes on; a bearer token
   * that is not good throws unauthenticated, because a program should hear of it, or resource-exhausted after
   * too many such tokens of one network. Sets in `replyHeaders` what the browser must keep. Rights live in
   * the database alone: before a remembered viewer is used, the record of changes is looked at. An access
   * token needs the scope `read`, unless `scope` names another one; with null it is checked later. `peer` is
   * noted of its use.
   */
  async identify(
    requestHeaders: Headers,
    replyHeaders: Headers,
    { peer = null, scope = 'read' }: { peer?: string | null; scope?: Scope | null } = {},
  ): Promise<Identity> {
    const { changes, config, limits } = this.#deps;
    const authorization = requestHeaders.get('authorization');
    const credentials = authorization ?? sessionCookies(requestHeaders.get('cookie'), config.isSecure);
    await changes.caughtUp();
    if (credentials === null) return await currentVisitor(this.#deps);
    if (authorization !== null && !/^bearer \S+$/i.test(authorization)) {
      throw new AppError('unauthenticated', 'The authorization header must hold a bearer token.');
    }
    const token = authorization?.slice('bearer '.length);
    const find = async (dependsOn: DependsOn) => {
      if (token !== undefined && isAccessToken(token))
        return await this.#byAccessToken(token, peer, dependsOn);
      const session = authorization === null ? { cookie: credentials } : { authorization };
      return await this.#bySession(session, replyHeaders, dependsOn);
    };
    const found = await this.#found.get(credentials, async dependsOn =>
      // Each token that somebody makes up is looked up in the database. Cookies are signed.
      token === undefined ? await find(dependsOn) : await limits.lookUp(peer, () => find(dependsOn)),
    );
    if (found !== undefined) {
      if (scope !== null) requireScope(found.identity.credential, scope);
      return found.identity;
    }
    if (authorization !== null) throw new AppError('unauthenticated', 'Invalid token.');
    return await currentVisitor(this.#deps);
  }

  async #byAccessToken(token: string, peer: string | null, dependsOn: DependsOn): Promise<Found | undefined> {
    const known = await findAccessToken(this.#deps, token, peer);
    if (known === undefined) return undefined;
    dependsOn(`token:${known.id}`);
    const viewer = await this.#viewerOfUser(known.userId, dependsOn);
    const { id, name, scopes } = known;
    return {
      identity: { viewer, credential: { kind: 'token', id, name, scopes } },
      maxAgeMs: maxAgeMs.token,
    };
  }

  async #bySession(
    credentials: { cookie: string } | { authorization: string },
    replyHeaders: Headers,
    dependsOn: DependsOn,
  ): Promise<Found | undefined> {
    const { api } = this.#deps.auth;
    const asking = { headers: new Headers(credentials), returnHeaders: true } as const;
    const found = await unwrapOutage(api.getSession(asking));
    const isDue = found.response?.session.isLong && isRefreshDue(found.response);
    const { response: session, headers } = isDue
      ? await unwrapOutage(api.getSession({ ...asking, method: 'POST' }))
      : found;
    // A token may be sent by a script of another page, which has no say in the cookies that a browser keeps.
    if ('cookie' in credentials) copyCookies(headers, replyHeaders);
    if (session === null || (await this.#isTooOld(session.session))) return undefined;
    dependsOn(`session:${session.session.id}`);
    const viewer = await this.#viewerOfUser(session.user.id, dependsOn);
    const { id } = session.session;
    return {
      identity: { viewer, credential: { kind: 'session', id } },
      maxAgeMs: maxAgeOf(session.session, Date.now()),
    };
  }

  async #viewerOfUser(userId: string, dependsOn: DependsOn): Promise<Viewer> {
    const { db, catalogue } = this.#deps;
    // The default tags are among what a viewer may read.
    dependsOn(`viewer:${userId}`, 'tags');
    return await viewerOfUser(db, userId, (await catalogue()).defaultTagIds);
  }

  async #isTooOld({ id, createdAt }: { id: string; createdAt: Date }): Promise<boolean> {
    if (createdAt.getTime() + sessionMaxMs > Date.now()) return false;
    await this.#deps.db.deleteFrom('sessions').where('id', '=', id).execute();
    return true;
  }
}

/** For how many milliseconds from `now` the viewer of a session may be cached; not at all for 0 or less. */
export function maxAgeOf({ expiresAt, createdAt, isLong }: KnownSession, now: number): number {
  const ends = Math.min(expiresAt.getTime(), createdAt.getTime() + sessionMaxMs);
  const next = isLong ? Math.min(ends, renewalOf(expiresAt)) : ends;
  return Math.min(maxAgeMs.session, next - now);
}

/** Removes sessions that have run out, which nothing else removes. */
export async function sweepSessions({ db, clock }: Pick<SessionDeps, 'db' | 'clock'>): Promise<void> {
  await db
    .deleteFrom('sessions')
    .where(eb =>
      eb.or([eb('expires_at', '<', moment(clock())), eb('created_at', '<', moment(clock() - sessionMaxMs))]),
    )
    .execute();
}

/** Ends the oldest sessions of an account that has too many. */
export async function endOldest(db: Kysely<Tables>, userId: string): Promise<void> {
  const surplus = await db
    .selectFrom('sessions')
    .select('id')
    .where('user_id', '=', userId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .offset(sessionsPerAccount)
    .limit(1_000)
    .execute();
  if (surplus.length === 0) return;
  const ids = surplus.map(session => session.id);
  await db
    .deleteFrom('sessions')
    .where(dialectOf(db).inList(sql.ref('id'), ids))
    .execute();
}

/**
 * The headers by which better-auth finds the session of a request, and what it notes of a new one, which is
 * long unless it is said. Nothing else that a client sends means anything to it.
 */
export function credentialHeaders(
  { requestHeaders, config, peer }: Pick<RequestContext, 'requestHeaders' | 'config' | 'peer'>,
  { isLong = true }: { isLong?: boolean | undefined } = {},
): Headers {
  const authorization = requestHeaders.get('authorization');
  const cookie =
    authorization === null ? sessionCookies(requestHeaders.get('cookie'), config.isSecure) : null;
  const userAgent = requestHeaders.get('user-agent');
  return new Headers({
    ...(authorization !== null && { authorization }),
    ...(cookie !== null && { cookie }),
    ...(userAgent !== null && { 'user-agent': userAgent }),
    ...(peer !== null && { [peerHeader]: peer }),
    ...(!isLong && { [shortSessionHeader]: '1' }),
  });
}

/** Whether better-auth would move the end of a session that is used (`deferSessionRefresh`). */
function isRefreshDue(session: object): boolean {
  return 'needsRefresh' in session && session.needsRefresh === true;
}

/** Hands on the cookies that better-auth wants set. */
export function copyCookies(from: Headers | null | undefined, to: Headers): void {
  for (const cookie of from?.getSetCookie() ?? []) to.append('set-cookie', cookie);
}
