import { AppError, type ErrorCode, errorCodeOf } from '../../contract/errors.ts';
import { type Scope, scopes } from '../../contract/operation.ts';
import type { Input, OperationName, Output } from '../../contract/operations.ts';
import { recentSignInMs } from '../../server/access/recent-sign-in.ts';
import { approveUser, denyUser } from '../../server/accounts/members/decide.ts';
import { makeAdmin } from '../../server/accounts/members/roles.ts';
import { longSession } from '../../server/accounts/sessions/session-rows.ts';
import { makeAccessToken } from '../../server/accounts/sessions/tokens.ts';
import { type App, createApp } from '../../server/app.ts';
import { type Config, readConfig } from '../../server/config.ts';
import { type Guards, unguarded } from '../../server/db/transaction.ts';
import type { Deps } from '../../server/deps.ts';
import { Limits } from '../../server/limits/rate-limits.ts';
import { openDeps } from '../../server/open-deps.ts';
import type { Web } from '../../server/surfaces/pages/web.ts';
import { ensureTags } from '../../server/tags/write.ts';
import { placeholderScript, queryOf, render } from '../../web/entry-server.tsx';
import { CountedHashing } from './hashing.ts';
import { insertSession, insertUser } from './people.ts';

export type Location = { dataDir: string; databaseUrl: string | undefined };

/** A person of a test: what they send with a request. `null` is a visitor. */
export type Person = { id: string; cookie: string; username: string } | null;

/**
 * A site on a real database, driven by requests without a socket. Its clock, and what takes time on purpose,
 * are the test's own.
 */
export type Site = {
  /** With guards that allow everything, for what a test does without a request. */
  deps: Deps & Guards;
  app: App;
  config: Config;
  /** Moves the clock forward, in milliseconds; otherwise it does not move. */
  wait(ms: number): void;
  /** The pauses before answers whose timing must reveal nothing, in milliseconds. */
  pauses: number[];
  /** Hashes passwords and counts it: an unknown address must take as many hashes as a known one. */
  hashing: CountedHashing;
  /** `peer` is the address of the connection; without one the request comes from inside. */
  request(path: string, as?: Person, init?: RequestInit & { peer?: string }): Promise<Response>;
  /** Calls an operation as somebody. Throws AppError as the web app's `call` does. */
  call<Name extends OperationName>(as: Person, name: Name, input: Input<Name>): Promise<Output<Name>>;
  /** Somebody who waits for approval, signed in. */
  signUp(name?: string): Promise<NonNullable<Person>>;
  member(tags?: readonly string[], name?: string): Promise<NonNullable<Person>>;
  denied(): Promise<NonNullable<Person>>;
  admin(): Promise<NonNullable<Person>>;
  /** An access token of somebody, without the password that making one takes. */
  makeToken(as: Person, name?: string, may?: readonly Scope[]): ReturnType<typeof makeAccessToken>;
  setDefaultTags(tags: readonly string[]): Promise<void>;
  close(): Promise<void>;
};

/** What a call of an operation is sent with. */
export function callOf(data: unknown, headers: Record<string, string> = {}) {
  return {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ data }),
  };
}

/**
 * Calls an operation as a browser with this cookie does, over a connection from `peer`. Returns what is
 * answered, a refusal too, and whom it signs in.
 */
export async function post(
  s: Pick<Site, 'request'>,
  name: string,
  data: unknown,
  { cookie, peer, headers }: From = {},
) {
  const call = callOf(data, { ...headers, ...(cookie !== undefined && { cookie }) });
  const response = await s.request(`/api/${name}`, null, { ...call, ...(peer !== undefined && { peer }) });
  const text = await response.text();
  const { result, error } = JSON.parse(text);
  return {
    status: response.status,
    headers: response.headers,
    text,
    result,
    error,
    asks: error?.details?.asks,
    id: result?.user?.id ?? '',
    username: result?.user?.username ?? '',
    cookie: cookieOf(response),
  };
}

type From = {
  cookie?: string | undefined;
  peer?: string | undefined;
  headers?: Record<string, string>;
};

/** What the documents of a site load, which is not built. */
export const pageAssets = {
  head: '',
  placeholders: `<script>${placeholderScript}</script>`,
  end: '',
  policy: 'none',
};

/** The pages from their sources. */
export const sourcePages: Web = { render, queryOf, clientDir: undefined, assetsOf: async () => pageAssets };

export async function openSite(
  location: Location,
  environment: Record<string, string> = {},
  web = sourcePages,
): Promise<Site> {
  const config = readConfig({
    DATA_DIR: location.dataDir,
    ...(location.databaseUrl && { DATABASE_URL: location.databaseUrl }),
    LOG_LEVEL: 'silent',
    ...environment,
  });
  const stopping = new AbortController();
  let now = Date.UTC(2026, 0, 1);
  const pauses: number[] = [];
  const hashing = new CountedHashing();
  const { close, ...opened } = await openDeps(config, {
    clock: () => now,
    pause: async ms => pauses.push(ms),
    hashing,
    // Tests do in a second what people do in an hour; those of the limits themselves set their own.
    limits: new Limits(100),
    countsLagMs: 0,
    stopping: stopping.signal,
  });
  const deps = { ...opened, ...unguarded };
  const { db } = deps;
  const app = createApp(deps, web);
  let people = 0;

  const request: Site['request'] = async (path, as = null, init = {}) => {
    const headers = new Headers(init.headers);
    if (as !== null) headers.set('cookie', as.cookie);
    const { peer, ...rest } = init;
    const socket = { remoteAddress: peer };
    const connection =
      peer === undefined ? {} : { incoming: { socket, headers: Object.fromEntries(headers) } };
    return await app.request(`${config.publicUrl}${path}`, { ...rest, headers }, connection);
  };
  const call: Site['call'] = async (as, name, input) => {
    const response = await request(`/api/${name}`, as, callOf(input ?? null));
    const body = await response.json();
    if (body.error) {
      throw new AppError(
        errorCodeOf(body.error.status, response.status),
        body.error.message,
        body.error.details,
      );
    }
    return body.result;
  };
  const signUp: Site['signUp'] = async name => {
    people += 1;
    const username = name ?? `person${people}`;
    const id = await insertUser(db, { username, name: `Person ${people}` }, now);
    const cookie = config.isSecure ? '__Host-coterie-session' : 'coterie-session';
    return { id, username, cookie: `${cookie}=${await insertSession(deps, id)}` };
  };
  return {
    deps,
    app,
    config,
    wait: ms => {
      now += ms;
    },
    pauses,
    hashing,
    request,
    call,
    signUp,
    member: async (tags = [], name) => {
      const person = await signUp(name);
      await approveUser(deps, person.id);
      await db.transaction().execute(async trx => {
        const ids = await ensureTags(trx, tags);
        if (ids.length === 0) return;
        await trx
          .insertInto('approved_tags')
          .values(ids.map(tag_id => ({ user_id: person.id, tag_id })))
          .execute();
      });
      return person;
    },
    denied: async () => {
      const person = await signUp();
      await denyUser(deps, person.id);
      return person;
    },
    admin: async () => {
      const person = await signUp();
      await makeAdmin(deps, person.id);
      return person;
    },
    makeToken: async (as, name = 'program', may = scopes) =>
      await makeAccessToken(deps, as?.id ?? '', { name, scopes: may, expiresInDays: 1 }),
    setDefaultTags: async tags => {
      await db.transaction().execute(async trx => {
        const ids = await ensureTags(trx, tags);
        await trx.deleteFrom('default_tags').execute();
        if (ids.length > 0)
          await trx
            .insertInto('default_tags')
            .values(ids.map(tag_id => ({ tag_id })))
            .execute();
      });
    },
    close: async () => {
      stopping.abort();
      await close();
    },
  };
}

/** Makes all sessions so old that what asks for a recent sign-in asks for another. */
export async function ageSessions({ deps: { db, clock } }: Pick<Site, 'deps'>): Promise<void> {
  await db
    .updateTable('sessions')
    .set({ created_at: new Date(clock() - recentSignInMs - 1_000).toISOString(), password_given_at: null })
    .execute();
}

/** Lets everybody have signed in just now, after a test has moved the clock further than that counts. */
export async function renewSessions({ deps: { db, clock } }: Pick<Site, 'deps'>): Promise<void> {
  const [now, end] = [clock(), clock() + longSession.lastsMs].map(at => new Date(at).toISOString());
  await db.updateTable('sessions').set({ created_at: now, expires_at: end }).execute();
}

/** The cookies that an answer sets, as a browser would send them back. */
export function cookieOf(response: Response): string {
  return response.headers
    .getSetCookie()
    .map(cookie => cookie.split(';')[0])
    .join('; ');
}

/** The code with which a call is refused; fails when it is not. */
export async function refusal(call: Promise<unknown>): Promise<ErrorCode> {
  try {
    await call;
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
  throw new Error('The call was not refused.');
}
