import { expect, it } from 'vitest';
import { contentOf } from '../../server/mail/contents.ts';
import { describeSqlite } from '../support/engines.ts';
import { openSite, type Person, type Site } from '../support/site.ts';

/**
 * The fields of a page's forms that somebody fills in or a password manager reads, with what they say they
 * are.
 */
async function fieldsOf(s: Site, path: string, as: Person = null): Promise<string[]> {
  const html = await (await s.request(path, as)).text();
  const attribute = (input: string, name: string) => new RegExp(` ${name}="([^"]*)"`, 'i').exec(input)?.[1];
  return (html.match(/<input [^>]*>/g) ?? [])
    .filter(input => attribute(input, 'autocomplete') !== undefined)
    .map(input => `${attribute(input, 'name') ?? '(hidden)'}: ${attribute(input, 'autocomplete')}`);
}

/** The address of the page that sets a new password for an account. */
async function resetLink(s: Site, email: string): Promise<string> {
  await s.call(null, 'requestPasswordReset', { email });
  const mails = s.deps.db.selectFrom('mails').selectAll().where('kind', '=', 'reset');
  const row = await mails.executeTakeFirstOrThrow();
  return `/reset-password?token=${contentOf(row, 'reset').token}`;
}

const newAccount = ['username: nickname', 'name: name', 'email: email', 'password: new-password'];

describeSqlite(({ migrated }) => {
  it('pages where people log in tell a password manager the meaning of each field, and that the address is the login name', async () => {
    const s = await openSite(await migrated(), { SMTP_URL: 'smtp://127.0.0.1:9' });
    try {
      const mina = await s.member([], 'mina');
      expect(await fieldsOf(s, '/login')).toEqual(['email: username webauthn', 'password: current-password']);
      expect(await fieldsOf(s, '/sign-in')).toEqual(['email: username']);
      expect(await fieldsOf(s, '/login/code')).toEqual(['code: one-time-code']);
      const link = await resetLink(s, 'mina@example.com');
      expect(await fieldsOf(s, link)).toEqual(['(hidden): username', 'password: new-password']);
      expect((await fieldsOf(s, '/signup')).slice(0, 4)).toEqual(newAccount);
      // An account without a password sets one, and a manager learns whose it is.
      const own = await fieldsOf(s, '/account', mina);
      expect(own).toEqual(expect.arrayContaining(['(hidden): username', 'newPassword: new-password']));
      expect(own).not.toContain('currentPassword: current-password');
      await s.call(mina, 'changePassword', { newPassword: 'westenra' });
      expect(await fieldsOf(s, '/account', mina)).toContain('currentPassword: current-password');
      const { made } = await s.call(await s.admin(), 'createInvitations', {
        tags: [],
        for: { uses: 1 },
      });
      expect(await fieldsOf(s, made[0]?.link?.replace(s.config.publicUrl, '') ?? '')).toEqual(newAccount);
    } finally {
      await s.close();
    }
  });

  it('pages where people log in say nothing of a failure where the address has a reason that they do not know', async () => {
    const s = await openSite(await migrated(), { SMTP_URL: 'smtp://127.0.0.1:9' });
    try {
      const { made } = await s.call(await s.admin(), 'createInvitations', { tags: [], for: { uses: 1 } });
      const invitation = made[0]?.link?.replace(s.config.publicUrl, '') ?? '';
      for (const path of ['/login?', '/login/code?', '/sign-in?', '/signup?', `${invitation}&`]) {
        const answerFor = async (reason: string) => {
          const response = await s.request(`${path}failed=${reason}`);
          return [path, response.status, (await response.text()).includes('class="notice bad"')];
        };
        expect(await answerFor('later')).toEqual([path, 200, true]);
        for (const reason of ['__proto__', 'constructor', 'toString']) {
          expect(await answerFor(reason)).toEqual([path, 200, false]);
        }
      }
    } finally {
      await s.close();
    }
  });

  it('pages where people log in work without scripts, with a password, a link or a provider, also for a session on a shared device', async () => {
    const s = await openSite(await migrated(), {
      SMTP_URL: 'smtp://127.0.0.1:9',
      OIDC_ISSUER: 'http://127.0.0.1:9',
      OIDC_CLIENT_ID: 'coterie',
      OIDC_CLIENT_SECRET: 'a secret',
      OIDC_NAME: 'House Keys',
    });
    try {
      const html = await (await s.request('/login?next=/profile')).text();
      expect(html).toMatch(/<form[^>]* method="post"/);
      expect(html).toContain('href="/sign-in?next=%2Fprofile"');
      expect(html).toContain('href="/login/openid?next=%2Fprofile"');
      expect(html).toMatch(/<noscript>.*href="\/login\/openid\?next=%2Fprofile&amp;keep=no"/);
    } finally {
      await s.close();
    }
  });
});
