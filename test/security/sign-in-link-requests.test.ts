import { expect, it, onTestFinished } from 'vitest';
import { requestSignInLink } from '../../server/accounts/sign-in/sign-in-link.ts';
import { deliverDue } from '../../server/mail/deliver.ts';
import { describeEngines } from '../support/engines.ts';
import { account } from '../support/factories.ts';
import { recordQueries } from '../support/queries.ts';
import { confirmed, linkFor, mailingSite, minute, tokens, use } from '../support/sign-in-links.ts';
import { openSite, post } from '../support/site.ts';
import { startSmtp } from '../support/smtp.ts';

const { email } = account;

describeEngines(({ migrated }) => {
  it('41. asking for a link that signs in is answered equally, with as many statements, whether or not there is an account', async () => {
    const s = await mailingSite(await migrated());
    await confirmed(s);
    await s.deps.db.deleteFrom('mails').execute();
    const { plugin, queries } = recordQueries();
    const statementsFor = async (address: string) => {
      queries.length = 0;
      await requestSignInLink({ ...s.deps, db: s.deps.db.withPlugin(plugin) }, { email: address });
      return queries.map(({ kind }) => kind);
    };
    const unknown = await statementsFor('nobody@example.com');
    expect(unknown.length).toBeGreaterThan(0);
    expect(await statementsFor(email)).toEqual(unknown);
    // Also while a link is on its way.
    expect(await statementsFor(email)).toEqual(unknown);
    const answers = await Promise.all(
      [email, 'nobody@example.com'].map(async address => {
        const { status, text, headers } = await post(s, 'requestSignInLink', { email: address });
        return [status, text, headers.getSetCookie()];
      }),
    );
    expect(answers[0]).toEqual(answers[1]);
    // The queue does not show for whom there is a link either: one mail has it, four are dropped when
    // they are due.
    const mails = await s.deps.db.selectFrom('mails').select(['user_id', 'data']).execute();
    expect(mails).toHaveLength(5);
    expect(JSON.stringify(mails)).not.toContain('example.com');
    expect(new Set(mails.map(mail => mail.user_id))).toEqual(new Set([null]));
  });

  it('40. asking for a link that signs in is limited by network, and does not keep the owner from a link however often strangers request one', async () => {
    const s = await mailingSite(await migrated());
    const mina = await confirmed(s);
    const ask = async (peer: string) => (await post(s, 'requestSignInLink', { email }, { peer })).status;
    const links = async () =>
      (await s.deps.db.selectFrom('email_links').select('digest').where('purpose', '=', 'sign-in').execute())
        .length;
    for (let index = 0; index < 5; index += 1) expect(await ask('198.51.100.1')).toBe(200);
    expect(await ask('198.51.100.1')).toBe(429);
    for (let index = 2; index < 12; index += 1) expect(await ask(`198.51.100.${index}`)).toBe(200);
    expect(await links()).toBe(1);
    s.wait(5 * minute);
    expect(await ask('203.0.113.9')).toBe(200);
    expect(await links()).toBe(2);
    const good = await Promise.all(
      (await tokens(s)).map(async token =>
        (await s.call(null, 'getSignInLink', { token })).link ? token : '',
      ),
    );
    const [token = ''] = good.filter(found => found !== '');
    expect((await use(s, token)).id).toBe(mina.id);
    // Once they are used, the next one is mailed at once.
    expect(await ask('203.0.113.9')).toBe(200);
    expect(await links()).toBe(1);
  });

  it('asking for a link that signs in is refused with a clear sentence by a site that sends no mail', async () => {
    const s = await openSite(await migrated());
    onTestFinished(s.close);
    await expect(s.call(null, 'requestSignInLink', { email })).rejects.toThrow('does not send email');
    expect(await s.deps.db.selectFrom('mails').selectAll().execute()).toEqual([]);
    expect(await (await s.request('/login')).text()).not.toContain('/sign-in');
  });

  it('54. the site mails the link to the address of the account, and nothing to an address without one', async () => {
    const smtp = await startSmtp();
    onTestFinished(smtp.stop);
    const s = await mailingSite(await migrated(), { SMTP_URL: smtp.url, PUBLIC_URL: 'https://blog.example' });
    await confirmed(s);
    await s.deps.db.deleteFrom('mails').execute();
    for (const address of [' MINA@example.com', 'nobody@example.com']) {
      await s.call(null, 'requestSignInLink', { email: address, next: 'https://evil.example/x' });
    }
    s.wait(5 * minute);
    await s.call(null, 'requestSignInLink', { email, next: '/post/x?a=1#comments' });
    const [first = ''] = await tokens(s);
    expect((await deliverDue(s.deps)).sent).toBe(2);
    expect(smtp.mails.map(mail => mail.to)).toEqual([email, email]);
    const texts = smtp.mails.map(({ text }) => text);
    expect(texts.join()).toContain(`https://blog.example/sign-in?token=${first}\n`);
    expect(texts.join()).toContain('&next=%2Fpost%2Fx%3Fa%3D1%23comments');
    expect(texts.join()).not.toContain('evil');
    // One that has been ended meanwhile is mailed to nobody.
    s.wait(5 * minute);
    await linkFor(s);
    await s.deps.db.deleteFrom('email_links').execute();
    expect((await deliverDue(s.deps)).sent).toBe(0);
  });
});
