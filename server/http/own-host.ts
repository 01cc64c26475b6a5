import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { Listener } from './connections.ts';
import { answerHeaders } from './security-headers.ts';

/** Names that nobody outside the local network can register (RFC 6761, 6762, 8375, 9476), and `.internal`. */
const localEnding = /\.(?:localhost|local|internal|home\.arpa)$/;
/** At most this many names are logged, each once: anybody can make up more. */
const mostLogged = 20;
/** A browser follows 20 redirects: when a proxy loops, it gets an error before it gives up. */
const mostInVain = 10;
/** Paths that a load balancer requests, under any host name. */
const healthPaths: ReadonlySet<string | undefined> = new Set(['/healthz', '/readyz']);

/**
 * Passes on only requests whose host is this site. Any name can be pointed at this machine, and a page under
 * that name could then read the site as its own (DNS rebinding). Requests for another name are redirected to
 * `PUBLIC_URL`, or refused if it is not set. After ten redirects of one name we answer 421: a proxy that
 * rewrites Host would loop.
 */
export function onOwnHost(
  listener: Listener,
  { config, log }: { config: Pick<Config, 'publicUrl' | 'hasPublicUrl' | 'isSecure'>; log: Logger },
): Listener {
  const publicName = hostNameOf(new URL(config.publicUrl).host);
  const headers = answerHeaders(config);
  const logged = new Set<string>();
  /**
   * How often each name was redirected since a request last used the public name, within a minute: a loop
   * takes seconds, and programs that follow no redirect must not add up.
   */
  const inVain = new LRUCache<string, number>({ max: mostLogged, ttl: 60_000, noUpdateTTL: true });
  const isInVain = (name: string) => {
    const times = (inVain.get(name) ?? 0) + 1;
    inVain.set(name, times);
    return times > mostInVain;
  };
  const note = (name: string) => {
    if (logged.has(name) || logged.size === mostLogged) return;
    logged.add(name);
    log.warn(
      { host: name },
      'a request named another host than PUBLIC_URL and was not answered; a proxy has to pass on the host that the browser names',
    );
  };
  return (incoming, outgoing) => {
    const { url = '/' } = incoming;
    const name = namedHost(incoming);
    if (name === publicName && inVain.size > 0) inVain.clear();
    const isOwn = name === publicName || isAddressOrLocalName(name) || healthPaths.has(url);
    if (isOwn) return listener(incoming, outgoing);
    note(name);
    if (config.hasPublicUrl && !isInVain(name)) {
      const location = config.publicUrl + (url.startsWith('/') ? url : '/');
      outgoing.writeHead(308, { ...headers, location }).end();
      return Promise.resolve();
    }
    outgoing
      .writeHead(421, { ...headers, 'content-type': 'text/plain; charset=utf-8' })
      .end(
        config.hasPublicUrl
          ? `This site is at ${config.publicUrl}. If that leads to this page, the proxy before it has to pass on the host that the browser names (docs/hosting.md).\n`
          : 'This site is not known by this name. Set PUBLIC_URL to the address at which readers reach it.\n',
      );
    return Promise.resolve();
  };
}

/** The name of the host that a request is for, normalised. */
export function namedHost({ url = '/', headers }: IncomingMessage): string {
  // The host of an absolute target takes precedence (RFC 9112, 3.2.2), also for the later check of Origin.
  return hostNameOf((url.startsWith('/') ? undefined : URL.parse(url)?.host) ?? headers.host ?? '');
}

/** The host of an address without its port, normalised. */
export function hostNameOf(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '');
}

/** A host that URLs take for an IPv4 address. */
const number = /^(?:\d+|0x[\da-f]*)$/;

/**
 * Whether this is an IP address or a name of the local network: without a dot, or with an ending for local
 * networks. Not a number such as 99999999999, which no URL can have as its host.
 */
export function isAddressOrLocalName(name: string): boolean {
  if (number.test(name)) return URL.canParse(`http://${name}`);
  return !name.includes('.') || name.startsWith('[') || isIP(name) === 4 || localEnding.test(name);
}
