import { approveUser } from '../server/accounts/decisions.ts';
import type { Person, Site } from './site.ts';
import { cookieOf } from './site.ts';

export const account = {
  username: 'mina',
  name: 'Mina Harker',
  email: 'mina@example.com',
  password: 'quincey',
};

export async function post(
  s: Site,
  name: string,
  data: unknown,
  headers: Record<string, string> = {},
  peer = '::1',
) {
  return await s.request(`/api/${name}`, null, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ data }),
    peer,
  });
}

export async function signedUp(s: Site): Promise<NonNullable<Person>> {
  const response = await post(s, 'signUp', account);
  const { result } = await response.json();
  await approveUser(s.deps, result.user.id);
  return { id: result.user.id, username: 'mina', cookie: cookieOf(response) };
}

/** Logs in with a password, over no network, in the browser that has this cookie. Returns the person with their new session. */
export async function signIn(s: Site, cookie?: string, password = account.password) {
  const response = await s.request('/api/signIn', null, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(cookie && { cookie }) },
    body: JSON.stringify({ data: { email: account.email, password } }),
  });
  const { result } = await response.json();
  return {
    id: result?.user?.id ?? '',
    username: account.username,
    cookie: cookieOf(response),
    token: response.headers.get('set-auth-token'),
  };
}
