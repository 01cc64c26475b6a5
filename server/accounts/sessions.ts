import type { Kysely } from 'kysely';
import { LRUCache } from 'lru-cache';
import { AppError } from '../../contract/errors.ts';
import type { TagCatalogue } from '../access/audience.ts';
import { sessionCookies } from '../access/credentials.ts';
import type { Identity } from '../access/hold-rights.ts';
import { type Viewer, viewerOfUser, visitor } from '../access/viewer.ts';
import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { Changes } from '../db/changes.ts';
import { withoutDisguise } from '../db/outage.ts';
import type { Tables } from '../db/tables.ts';
import type { Invocation } from '../deps.ts';
import { findAccessToken, isAccessToken } from './access-token.ts';
import { type Auth, peerHeader } from './auth.ts';

/** A session is looked up again after this long, so that its expiry moves with its use. Milliseconds. */
const rememberMs = 60_000;
/**
 * A session ends a year after it began, however much it is used; below that, its end moves with its use (auth.ts). A
 * cookie that was copied once, from a lost laptop or a backup, would otherwise be good for as long as somebody uses it.
 */
export const sessionMaxMs = 365 * 24 * 60 * 60_000;

type Asking = {
  db: Kysely<Tables>;
  changes: Changes;
  auth: Auth;
  catalogue: () => Promise<TagCatalogue>;
  clock: Clock;
  config: Pick<Config, 'isSecure'>;
};

type Found = Identity & { version: number };

/** Turns the credentials of a request into a viewer. */
export class Sessions {
  readonly #asking: Asking;
  readonly #found = new LRUCache<string, Found>({ max: 10_000, ttl: rememberMs });

  constructor(asking: Asking) {
    this.#asking = asking;
  }

  /**
   * The viewer that a request's cookie or bearer token stands for; a visitor without one. A cookie that is no longer
   * good makes a visitor, so that reading goes on; a bearer token that is not good throws unauthenticated, because a
   * program should hear of it. Sets on `reply` what the browser must keep.
   */
  async viewerOf(request: Headers, reply: Headers): Promise<Viewer> {
    return (await this.identify(request, reply)).viewer;
  }

  /** As `viewerOf`, with what they ask by: for what outlives a moment, and asks again by it. */
  async identify(request: Headers, reply: Headers): Promise<Identity> {
    const { db, changes, auth, catalogue, clock, config } = this.#asking;
    const authorization = request.get('authorization');
    const credentials = authorization ?? sessionCookies(request.get('cookie'), config.isSecure);
    if (credentials === null) return await this.#visitor();
    if (authorization !== null && !/^bearer \S+$/i.test(authorization)) {
      throw new AppError('unauthenticated', 'The authorization header must hold a bearer token.');
    }
    // Rights live in the database alone; what is remembered is dropped as soon as any of it may have changed.
    const version = changes.version(['users', 'sessions', 'access_tokens', 'approved_tags', 'default_tags']);
    const known = this.#found.get(credentials);
    if (known?.version === version) return known;

    const token = authorization?.slice('bearer '.length);
    if (token !== undefined && isAccessToken(token)) {
      const accessToken = await findAccessToken(db, token, clock());
      if (accessToken === undefined) throw new AppError('unauthenticated', 'This token is not valid.');
      const viewer = await viewerOfUser(db, accessToken.userId, (await catalogue()).defaultTagIds);
      const found = { viewer, credential: { kind: 'token', id: accessToken.id }, version } as const;
      this.#found.set(credentials, found);
      return found;
    }
    const credentialHeaders = new Headers(
      authorization === null ? { cookie: credentials } : { authorization: authorization },
    );
    const { response: session, headers } = await withoutDisguise(
      auth.api.getSession({ headers: credentialHeaders, returnHeaders: true }),
    );
    // A token may be sent by a script of another page, which has no say in the cookies that a browser keeps.
    if (authorization === null) copyCookies(headers, reply);
    if (session === null || (await this.#isTooOld(session.session))) {
      if (authorization !== null) throw new AppError('unauthenticated', 'This token is not valid.');
      return await this.#visitor();
    }
    const viewer = await viewerOfUser(db, session.user.id, (await catalogue()).defaultTagIds);
    const found = { viewer, credential: { kind: 'session', id: session.session.id }, version } as const;
    this.#found.set(credentials, found);
    return found;
  }

  async #isTooOld({ id, createdAt }: { id: string; createdAt: Date }): Promise<boolean> {
    if (createdAt.getTime() + sessionMaxMs > Date.now()) return false;
    await this.#asking.db.deleteFrom('sessions').where('id', '=', id).execute();
    return true;
  }

  async #visitor(): Promise<Identity> {
    return { viewer: visitor((await this.#asking.catalogue()).defaultTagIds), credential: null };
  }
}

/** Removes sessions that have run out. Their owners sign in anew, so nobody else would. */
export async function sweepSessions({ db, clock }: Pick<Asking, 'db' | 'clock'>): Promise<void> {
  const at = (time: number) => new Date(time).toISOString();
  await db
    .deleteFrom('sessions')
    .where(eb =>
      eb.or([eb('expires_at', '<', at(clock())), eb('created_at', '<', at(clock() - sessionMaxMs))]),
    )
    .execute();
}

/**
 * The headers by which better-auth finds the session of a request, and what it notes of a new one. Nothing else that a
 * client sends means anything to it.
 */
export function credentialHeaders({
  request,
  config,
  peer,
}: Pick<Invocation, 'request' | 'config' | 'peer'>): Headers {
  const authorization = request.get('authorization');
  const cookie = authorization === null ? sessionCookies(request.get('cookie'), config.isSecure) : null;
  const userAgent = request.get('user-agent');
  return new Headers({
    ...(authorization !== null && { authorization }),
    ...(cookie !== null && { cookie }),
    ...(userAgent !== null && { 'user-agent': userAgent }),
    ...(peer !== null && { [peerHeader]: peer }),
  });
}

/** Hands on the cookies that better-auth wants set. */
export function copyCookies(from: Headers | null | undefined, to: Headers): void {
  for (const cookie of from?.getSetCookie() ?? []) to.append('set-cookie', cookie);
}
