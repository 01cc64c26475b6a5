import { approveUser } from '../../server/accounts/members/decide.ts';
import { callOf, cookieOf, type Person, type Site } from './site.ts';

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
  return await s.request(`/api/${name}`, null, { ...callOf(data, headers), peer });
}

export async function signedUp(s: Site): Promise<NonNullable<Person>> {
  const response = await post(s, 'signUp', account);
  const { result } = await response.json();
  await approveUser(s.deps, result.user.id);
  return { id: result.user.id, username: 'mina', cookie: cookieOf(response) };
}

/**
 * Logs in with a password, over no network, in the browser that has this cookie. Returns the person with
 * their new session.
 */
export async function signIn(s: Site, cookie?: string, password = account.password) {
  const call = callOf({ email: account.email, password }, cookie === undefined ? {} : { cookie });
  const response = await s.request('/api/signIn', null, call);
  const { result } = await response.json();
  return {
    id: result?.user?.id ?? '',
    username: account.username,
    cookie: cookieOf(response),
    token: response.headers.get('set-auth-token'),
  };
}
