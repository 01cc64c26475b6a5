import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { requestSignInLink } from '../../server/accounts/sign-in/sign-in-link.ts';
import { deliverDue } from '../../server/mail/deliver.ts';
import { queueNotice } from '../../server/mail/write.ts';
import { describeEngines } from '../support/engines.ts';
import { account, essay, publish } from '../support/factories.ts';
import { withSmtp } from '../support/mailing-site.ts';
import { changeUser } from '../support/rows.ts';
import { post } from '../support/site.ts';

describeEngines(({ site }) => {
  it('54. the site puts no header or recipient of a client into a mail', async () => {
    const s = await site();
    const member = await s.member([], 'mina');
    await changeUser(s, member.id, { name: 'x"\r\nBcc: evil@example.com, <b@c>', email_verified: true });
    await s.deps.db
      .insertInto('subscriptions')
      .values({ user_id: member.id, email: 'mina@example.com', created_at: 1 })
      .execute();
    await s.deps.db.deleteFrom('mails').execute();
    await publish(s, await s.admin(), essay({ title: 'A title =?utf-8?q?x?= "quoted", <a@b>' }));
    await deliverDue(s.deps);
    const folder = join(s.config.dataDir, 'mail');
    const [file = ''] = await readdir(folder);
    const head =
      (await readFile(join(folder, file), 'utf8')).split('\r\n\r\n')[0]?.replaceAll(/\r\n[ \t]+/g, ' ') ?? '';
    expect(head).not.toMatch(/^Bcc:/m);
    expect(head.match(/^To: .*<mina@example\.com>$/gm)).toHaveLength(1);
  });

  it('58. the site uses the address of the site in mails, whatever the Host header says', async () => {
    const s = await site();
    await s.signUp('mina');
    await s.request('/api/requestPasswordReset', null, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        host: 'evil.example',
        'x-forwarded-host': 'evil.example',
      },
      body: '{"data":{"email":"mina@example.com"}}',
    });
    await deliverDue(s.deps);
    const folder = join(s.config.dataDir, 'mail');
    const text = (
      await Promise.all((await readdir(folder)).map(file => readFile(join(folder, file), 'utf8')))
    ).join();
    expect(text).toContain(new URL(s.config.publicUrl).host);
    expect(text).not.toContain('evil.example');
  });

  it('29. the site sends nothing of a stranger to an address that nobody has proved, and its reader the links', async () => {
    const s = await site();
    const { deps, deliver } = await withSmtp(s);
    const { user } = await s.call(null, 'signUp', { ...account, name: 'Call 0900 1' });
    const { email, password } = account;
    const mina = user?.id ?? '';
    for (let index = 0; index < 40; index += 1) {
      const headers = { 'user-agent': `Call-0900-${index}/1` };
      await post(s, 'signIn', { email, password }, { headers, peer: `198.51.100.${index}` });
    }
    for (const notice of ['passkey-added', 'token-made', 'passkey-removed'] as const)
      await queueNotice(deps.db, deps.clock(), mina, notice, { name: 'Call 0900 3' });
    const first = await deliver();
    expect(first).toHaveLength(4);
    for (let index = 0; index < 8; index += 1)
      await queueNotice(deps.db, deps.clock(), mina, 'password-changed');
    await s.call(null, 'requestPasswordReset', { email });
    await requestSignInLink(deps, { email });
    const said = [...first, ...(await deliver())].map(({ source, text, html }) =>
      [source.split('\r\n\r\n')[0], text, html].join('\n'),
    );
    expect(said.join('\n')).not.toContain('0900');
    expect(said.filter(mail => /^Subject: (Log in|Reset)/m.test(mail))).toHaveLength(2);
    // Of the others ten an hour, as before.
    expect(said).toHaveLength(12);
    // Once its owner has proved it, they are told, and by name.
    await changeUser(s, mina, { email_verified: true });
    await queueNotice(deps.db, deps.clock(), mina, 'passkey-added', { name: 'Laptop' });
    await queueNotice(deps.db, deps.clock(), mina, 'new-sign-in', { name: 'Firefox on Linux' });
    const told = (await deliver()).map(({ text }) => text);
    expect(told.filter(text => /“Laptop”|Firefox on Linux/.test(text))).toHaveLength(2);
  });
});
