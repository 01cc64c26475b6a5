import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import Provider from 'oidc-provider';
import { listen } from './listen.ts';

/** What the provider tells of a person, by their login there. */
export type OpenidClaims = Record<string, unknown> & { sub: string };

export type OpenidProvider = Awaited<ReturnType<typeof startOpenidProvider>>;

const client = { id: 'coterie', secret: 'a secret of thirty-two characters' };

/**
 * A real OpenID Connect provider on this machine (`oidc-provider`, which is certified). Everybody signs in
 * there with their `sub` and any password, on its own pages. `people` may be changed while it runs.
 */
export async function startOpenidProvider(siteUrl: string) {
  const people = new Map<string, OpenidClaims>();
  const server = createServer();
  const issuer = `http://127.0.0.1:${await listen(server)}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: client.id,
        client_secret: client.secret,
        redirect_uris: [`${siteUrl}/login/openid/callback`],
      },
    ],
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['name', 'preferred_username'],
      groups: ['groups'],
    },
    scopes: ['openid', 'email', 'profile', 'groups'],
    cookies: { keys: ['a key of a test'] },
    ttl: { AccessToken: 600, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
    features: { devInteractions: { enabled: true } },
    findAccount: (_context, sub) => ({ accountId: sub, claims: () => people.get(sub) ?? { sub } }),
  });
  const answer = provider.callback();
  server.on('request', answer);
  return {
    issuer,
    people,
    environment: {
      OIDC_ISSUER: issuer,
      OIDC_CLIENT_ID: client.id,
      OIDC_CLIENT_SECRET: client.secret,
      OIDC_NAME: 'House Keys',
      OIDC_TAGS_CLAIM: 'groups',
    },
    /** Lets `answer` speak in place of the provider. */
    intercept: (other: (request: IncomingMessage) => [status: number, json: unknown] | undefined) => {
      server.removeAllListeners('request');
      server.on('request', (request, response) => {
        const said = other(request);
        if (said === undefined) return void answer(request, response);
        response.writeHead(said[0], { 'content-type': 'application/json' }).end(JSON.stringify(said[1]));
      });
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/**
 * Walks through the provider's pages as `login` from the address that a site has led to. Returns the address
 * that it leads back to, which is not opened. With `isCancelled` the person goes back without signing in.
 */
export async function walkThroughProvider(
  start: string,
  login: string,
  { isCancelled = false } = {},
): Promise<string> {
  const cookies = new Map<string, string>();
  const { origin } = new URL(start);
  let next: { url: string; body?: URLSearchParams } = { url: start };
  for (let step = 0; step < 20; step += 1) {
    const response = await fetch(next.url, {
      redirect: 'manual',
      method: next.body === undefined ? 'GET' : 'POST',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(next.body && { body: next.body }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    const location = response.headers.get('location');
    if (location !== null) {
      const url = new URL(location, next.url);
      if (url.origin !== origin) return url.href;
      next = { url: url.href };
      continue;
    }
    const page = await response.text();
    if (isCancelled) {
      next = { url: new URL(/href="([^"]*abort)"/.exec(page)?.[1] ?? '', next.url).href };
      continue;
    }
    const action = /<form[^>]* action="([^"]*)"/.exec(page)?.[1];
    const prompt = /name="prompt" value="([^"]*)"/.exec(page)?.[1];
    if (action === undefined || prompt === undefined) throw new Error(`No form of the provider: ${page}`);
    next = {
      url: new URL(action, next.url).href,
      body: new URLSearchParams({ prompt, ...(prompt === 'login' && { login, password: 'any' }) }),
    };
  }
  throw new Error('The provider led nowhere.');
}
