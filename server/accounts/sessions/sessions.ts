import { AppError } from '../../../contract/errors.ts';
import type { Scope } from '../../../contract/operation.ts';
import type { ReadContext, RequestContext } from '../../access/context.ts';
import { setCookie } from '../../access/cookies.ts';
import {
  currentVisitor,
  type Identity,
  requireScope,
  sessionCookies,
  type Viewer,
  viewerOfUser,
} from '../../access/viewer.ts';
import type { Config } from '../../config.ts';
import { Cache, type DependsOn } from '../../db/changes/cache.ts';
import type { ChangeRecord } from '../../db/changes/record.ts';
import { isOutage } from '../../db/outage.ts';
import type { DbContext } from '../../db/transaction.ts';
import type { Limits } from '../../limits/rate-limits.ts';
import { endOf, findSession, longSession, renewalOf, renewSession, type Session } from './session-rows.ts';
import { signedToken, tokenOfRequest } from './session-token.ts';
import { findAccessToken, isAccessToken } from './tokens.ts';

/**
 * How long the viewer of a session or token is cached at most, in milliseconds. Events that end them or
 * change their rights drop the entry at once; a session is looked up again when it expires or when its use is
 * to prolong it.
 */
const maxAgeMs = { session: 10 * 60_000, token: 60_000 } as const;

/** The identity of a cookie or token, and for how many milliseconds it may be cached. */
type Found = { identity: Identity; maxAgeMs: number };

type SessionDeps = DbContext &
  ReadContext & {
    changes: ChangeRecord;
    secret: string;
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
   * The viewer of a request's cookie or bearer token, and that credential; a visitor without one. An invalid
   * cookie makes a visitor, so that reading still works. An invalid bearer token throws unauthenticated, or
   * resource-exhausted after too many from one network. `replyHeaders` gets the cookies that the browser must
   * store or delete. The record of changes is polled before a cached viewer is used. An access token needs
   * the scope `read`, unless `scope` names another; with null it is checked later. `network` is stored as its
   * last use.
   */
  async identify(
    requestHeaders: Headers,
    replyHeaders: Headers,
    { network = null, scope = 'read' }: { network?: string | null; scope?: Scope | null } = {},
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
        return await this.#byAccessToken(token, network, dependsOn);
      return await this.#bySession({ config, requestHeaders, replyHeaders }, dependsOn);
    };
    const found = await this.#found.get(credentials, async dependsOn =>
      // Each made-up access token would cost a database query. Sessions are signed.
      token === undefined ? await find(dependsOn) : await limits.lookUp(network, () => find(dependsOn)),
    );
    if (found !== undefined) {
      if (scope !== null) requireScope(found.identity.credential, scope);
      return found.identity;
    }
    if (authorization !== null) throw new AppError('unauthenticated', 'Invalid token.');
    return await currentVisitor(this.#deps);
  }

  async #byAccessToken(
    token: string,
    network: string | null,
    dependsOn: DependsOn,
  ): Promise<Found | undefined> {
    const known = await findAccessToken(this.#deps, token, network);
    if (known === undefined) return undefined;
    dependsOn(`token:${known.id}`);
    const viewer = await this.#viewerOfUser(known.userId, dependsOn);
    const { id, name, scopes } = known;
    return {
      identity: { viewer, credential: { kind: 'token', id, name, scopes } },
      maxAgeMs: maxAgeMs.token,
    };
  }

  async #bySession(request: BrowserRequest, dependsOn: DependsOn): Promise<Found | undefined> {
    const { secret, clock } = this.#deps;
    const token = tokenOfRequest(secret, request);
    if (token === undefined) return undefined;
    const session = await this.#inUse(await findSession(this.#deps, token), request);
    if (session === undefined) {
      // Only for a page load: otherwise another tab may be receiving a new session at this moment.
      if ((request.requestHeaders.get('sec-fetch-mode') ?? 'navigate') === 'navigate') forgetSession(request);
      return undefined;
    }
    dependsOn(`session:${session.id}`);
    const viewer = await this.#viewerOfUser(session.userId, dependsOn);
    return {
      identity: { viewer, credential: { kind: 'session', id: session.id } },
      maxAgeMs: maxAgeOf(session, clock()),
    };
  }

  /** A session that a request uses: a long one is prolonged, in the browser too. */
  async #inUse(session: Session | undefined, request: BrowserRequest): Promise<Session | undefined> {
    const { secret, clock } = this.#deps;
    if (!session?.isLong || renewalOf(session.expiresAt) > clock()) return session;
    try {
      const renewed = await renewSession(this.#deps, session);
      if (renewed !== undefined && isByCookie(request)) rememberSession(request, secret, renewed);
      return renewed;
    } catch (error) {
      if (!isOutage(error)) throw error;
      // Reading goes on where nothing can be written; the next request tries again.
      return session;
    }
  }

  async #viewerOfUser(userId: string, dependsOn: DependsOn): Promise<Viewer> {
    const { db, catalogue } = this.#deps;
    // The viewer's tags include the default tags.
    dependsOn(`viewer:${userId}`, 'tags');
    return await viewerOfUser(db, userId, (await catalogue()).defaultTagIds);
  }
}

/** For how many milliseconds from `now` the viewer of a session may be cached; not at all for 0 or less. */
export function maxAgeOf(session: Pick<Session, 'createdAt' | 'expiresAt' | 'isLong'>, now: number): number {
  const ends = endOf(session);
  const next = session.isLong ? Math.min(ends, renewalOf(session.expiresAt)) : ends;
  return Math.min(maxAgeMs.session, next - now);
}

type BrowserRequest = Pick<RequestContext, 'config' | 'requestHeaders' | 'replyHeaders'>;

// A token may be sent by a script of another page, which must not change the browser's cookies.
const isByCookie = ({ requestHeaders }: BrowserRequest) => requestHeaders.get('authorization') === null;

/** Stores a session in a cookie; a short one until the browser is closed. */
export function rememberSession(
  request: Pick<RequestContext, 'config' | 'replyHeaders'>,
  secret: string,
  { token, isLong }: Pick<Session, 'token' | 'isLong'>,
): void {
  const lasts = isLong ? { maxAge: longSession.lastsMs / 1_000 } : {};
  setCookie(request, 'session', signedToken(secret, token), lasts);
}

/** Deletes the cookie of the session that the browser has sent. */
export function forgetSession(request: BrowserRequest): void {
  if (isByCookie(request)) setCookie(request, 'session', '', { maxAge: 0 });
}
