import { afterAll, beforeEach } from 'vitest';
import { type OpenidProvider, startOpenidProvider, walkThroughProvider } from './openid-provider.ts';
import { type Location, openSite, type Person, type Site } from './site.ts';

const siteUrl = 'http://localhost:3000';

/**
 * A provider for the tests of a file, which has no people before each. To be awaited once, at the top of the
 * file.
 */
export async function openidProvider(): Promise<OpenidProvider> {
  const provider = await startOpenidProvider(siteUrl);
  afterAll(() => provider.close());
  beforeEach(() => {
    provider.people.clear();
    provider.intercept(() => undefined);
  });
  return provider;
}

/** Opens sites whose members may sign in with a provider. `withSite` closes its site after the test. */
export function openidSites(provider: OpenidProvider, migrated: () => Promise<Location>) {
  const open = async () => await openSite(await migrated(), { ...provider.environment, PUBLIC_URL: siteUrl });
  const withSite = (act: (s: Site) => Promise<void>) => async () => {
    const s = await open();
    try {
      await act(s);
    } finally {
      await s.close();
    }
  };
  return { open, withSite };
}

/** What the provider tells of somebody. */
export const mina = { sub: 'mina', name: 'Mina Harker', email: 'mina@example.com', email_verified: true };

/** The first cookies of an answer, as a browser sends them back. */
export const cookiesOf = (response: Response) =>
  response.headers
    .getSetCookie()
    .filter(cookie => !/=;/.test(cookie))
    .map(cookie => cookie.split(';')[0])
    .join('; ');

/** Finds the sign-in that was begun in the cookies of a browser. */
export const flowCookie = /(?:^|; )coterie-openid-[\w-]+=([^;]*)/;

/** Begins a sign-in. Returns the address at the provider, and the cookies that the browser has then. */
export async function begin(s: Site): Promise<{ url: string; cookie: string }> {
  const response = await s.request('/login/openid?next=/tags/red');
  return { url: response.headers.get('location') ?? '', cookie: cookiesOf(response) };
}

/** The way back from the provider, as the browser that holds `cookie`. */
export async function comeBack(s: Site, url: string, cookie: string): Promise<Response> {
  const { pathname, search } = new URL(url);
  return await s.request(`${pathname}${search}`, null, { headers: { cookie } });
}

/** Signs in over the provider. Returns where it led and the person with their session. */
export async function enter(s: Site, login: string) {
  const { url, cookie } = await begin(s);
  const response = await comeBack(s, await walkThroughProvider(url, login), cookie);
  const person: Person = { id: '', username: '', cookie: cookiesOf(response) };
  return { led: response.headers.get('location'), person };
}

/** Every account of the site. */
export const accounts = async (s: Site) =>
  await s.deps.db.selectFrom('users').select(['id', 'email', 'status', 'email_verified']).execute();
