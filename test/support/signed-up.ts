import { approveUser } from '../../server/accounts/members/decide.ts';
import { account } from './factories.ts';
import { type Person, post, type Site } from './site.ts';

export async function signedUp(s: Site): Promise<NonNullable<Person>> {
  const { id, username, cookie } = await post(s, 'signUp', account);
  await approveUser(s.deps, id);
  return { id, username, cookie };
}

/**
 * Logs in with a password, over no network, in the browser that has this cookie. Returns the person with
 * their new session.
 */
export async function signIn(s: Site, cookie?: string, password = account.password) {
  const answer = await post(s, 'signIn', { email: account.email, password }, { cookie });
  return { ...answer, token: answer.headers.get('set-auth-token') };
}
