import { IncomingMessage, ServerResponse } from 'node:http';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context, MiddlewareHandler } from 'hono';
import type { Logger } from 'pino';
import { AppError } from '../../contract/errors.ts';
import type { Scope } from '../../contract/operation.ts';
import type { RequestContext } from '../access/context.ts';
import type { Identity } from '../access/viewer.ts';
import { createId } from '../base/id.ts';
import { networkOfRequest } from '../base/networks.ts';
import type { Config } from '../config.ts';
import type { DependsOn } from '../db/changes/cache.ts';

export type RequestVariables = {
  Variables: {
    log: Logger;
    requestIdentity: RequestIdentity;
  };
};

const processId = createId().slice(0, 6);
let requests = 0;
export function nextRequestId(): string {
  requests += 1;
  return `${processId}-${requests}`;
}

/**
 * Gives a request its logger. If requests are logged, it also gets an id, and one line is logged when it has
 * been answered.
 */
export function requestLog(log: Logger): MiddlewareHandler<RequestVariables> {
  const isLogging = log.isLevelEnabled('info');
  return async (c, next) => {
    if (!isLogging) {
      c.set('log', log);
      return await next();
    }
    c.set('log', log.child({ requestId: nextRequestId() }));
    const start = performance.now();
    await next();
    // Only the path: a query can contain a token.
    const { method, path } = c.req;
    c.var.log.info({ method, path, status: c.res.status, ms: since(start) }, 'request');
  };
}

/** Milliseconds with one decimal. */
export function since(start: number): number {
  return Math.round((performance.now() - start) * 10) / 10;
}

/** Node's own request; undefined if it did not come over a socket. */
export function incomingOf(c: Context): IncomingMessage | undefined {
  const incoming: unknown = c.env?.incoming;
  return incoming instanceof IncomingMessage ? incoming : undefined;
}

/** Node's own response; undefined if there is no socket to send it over. */
export function outgoingOf(c: Context): ServerResponse | undefined {
  const outgoing: unknown = c.env?.outgoing;
  return outgoing instanceof ServerResponse ? outgoing : undefined;
}

/** Turns credentials into a viewer; adds cookies for the browser to `replyHeaders`. */
type Identify = (
  credentials: Headers,
  replyHeaders: Headers,
  asking: { network: string | null; scope: Scope | null },
) => Promise<Identity>;

type IdentifiedRequest = Identity &
  Omit<RequestContext, 'config'> & {
    /** Set if the answer will be cached: receives the keys that it depends on. */
    dependsOn: DependsOn | undefined;
  };

/** Identifies the sender of a request: when it matters, and again after everything that takes time. */
export class RequestIdentity {
  readonly #c: Context;
  readonly #config: Config;
  readonly #identify: Identify;
  #credentials: Headers | undefined;
  #replyHeaders: Headers | undefined;

  constructor(c: Context, config: Config, identify: Identify) {
    this.#c = c;
    this.#config = config;
    this.#identify = identify;
  }

  /**
   * The headers that may identify the viewer. From a page of another origin that writes (`guardWrites` has
   * passed only configured origins and requests with a token) only the token counts: the cookies are for this
   * site's own pages.
   */
  get credentials(): Headers {
    const { headers } = this.#c.req.raw;
    this.#credentials ??= this.#isReading || !this.isElsewhere ? headers : withoutCookies(headers);
    return this.#credentials;
  }

  /**
   * Whether a page of another origin sends the request. A browser sends Sec-Fetch-Site (not over plain http),
   * Origin or both; a program sends neither.
   */
  get isElsewhere(): boolean {
    const { raw, url } = this.#c.req;
    const site = raw.headers.get('sec-fetch-site');
    if (site !== null && site !== 'same-origin' && site !== 'none') return true;
    const origin = raw.headers.get('origin');
    if (origin === null || origin === new URL(this.#config.publicUrl).origin) return false;
    // The browser may use another name of this server, and behind a proxy that ends TLS the scheme differs,
    // so only host and port are compared.
    return URL.parse(origin)?.host !== new URL(url).host;
  }

  /** Throws permission-denied for a request from a page of another origin. */
  refuseElsewhere(): void {
    if (this.isElsewhere) throw new AppError('permission-denied', 'This request comes from another site.');
  }

  /** The network of the request, as limits count it; null for a call inside this process. */
  get network(): string | null {
    const incoming: IncomingMessage | undefined = this.#c.env?.incoming;
    return incoming === undefined ? null : networkOfRequest(incoming, this.#config.trustedProxies);
  }

  /** Headers to add to the answer, such as cookies. */
  get replyHeaders(): Headers {
    this.#replyHeaders ??= new Headers();
    return this.#replyHeaders;
  }

  /** The current viewer. Throws unauthenticated for an invalid token. */
  identify(credentials = this.credentials): Promise<Identity> {
    // A POST calls an operation or writes a file, which check the scope themselves.
    return this.#identify(credentials, this.replyHeaders, {
      network: this.network,
      scope: this.#isReading ? 'read' : null,
    });
  }

  /** A call by the current viewer. Throws as `identify` does. */
  async invocation<Deps>(deps: Deps, dependsOn?: DependsOn): Promise<Deps & IdentifiedRequest> {
    const { credentials: requestHeaders, replyHeaders, network } = this;
    return { ...deps, ...(await this.identify()), requestHeaders, replyHeaders, network, dependsOn };
  }

  /** Adds the cookies to the answer; one that was written directly to the connection has them already. */
  addReply(): void {
    if (this.#replyHeaders === undefined || this.#c.res === RESPONSE_ALREADY_SENT) return;
    // Only pages of this site may change a browser's session and its cache of this site.
    if (!this.#isReading && this.isElsewhere) {
      for (const name of ['set-cookie', 'clear-site-data']) this.#replyHeaders.delete(name);
    }
    for (const [header, value] of this.#replyHeaders) this.#c.res.headers.append(header, value);
  }

  get #isReading(): boolean {
    return ['GET', 'HEAD'].includes(this.#c.req.method);
  }
}

function withoutCookies(headers: Headers): Headers {
  const without = new Headers(headers);
  without.delete('cookie');
  return without;
}

/** Gives every route a `RequestIdentity`. */
export function requestIdentities(config: Config, identify: Identify): MiddlewareHandler<RequestVariables> {
  return async (c, next) => {
    const requestIdentity = new RequestIdentity(c, config, identify);
    c.set('requestIdentity', requestIdentity);
    await next();
    requestIdentity.addReply();
  };
}

/**
 * Refuses requests that change something unless they come from this site's own pages or from a program, and
 * those that come too often. The one-click POST of a mail is exempt: its signed address is enough, whoever
 * sends it.
 */
export function guardWrites({
  config,
  limits,
}: {
  config: Config;
  limits: { countWrite(network: string): Promise<void> };
}): MiddlewareHandler<RequestVariables> {
  let hasWarned = config.hasTrustedProxies;
  return async (c, next) => {
    if (['GET', 'HEAD', 'OPTIONS'].includes(c.req.method)) return await next();
    const { path } = c.req;
    const { requestIdentity } = c.var;
    // A configured origin may write with a token; its cookies are ignored (`RequestIdentity.credentials`).
    const isConfigured = config.corsOrigins.includes(c.req.header('origin') ?? '');
    // A page cannot forge a request with a token, because a browser never adds one on its own.
    const hasToken = c.req.header('authorization') !== undefined;
    if (path !== '/unsubscribe' && !isConfigured && !hasToken) requestIdentity.refuseElsewhere();
    const { network } = requestIdentity;
    if (!hasWarned && c.req.header('x-forwarded-for') !== undefined) {
      hasWarned = true;
      c.var.log.warn(
        'requests come through a proxy: name its address in TRUSTED_PROXIES, or limits count all readers as one',
      );
    }
    // Operations are counted by account, and storage.ts counts uploads in its own way.
    if (network !== null && !/^\/(?:api|v0)\//.test(path)) await limits.countWrite(network);
    await next();
  };
}
