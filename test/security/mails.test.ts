import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { deliverDue } from '../../server/mail/deliver.ts';
import { describeEngines } from '../engines.ts';
import { essay, publish } from '../factories.ts';

describeEngines('mails', ({ site }) => {
  it('54. puts no header or recipient of a client into a mail', async () => {
    const s = await site();
    const member = await s.member([], 'mina');
    await s.deps.db
      .updateTable('users')
      .set({ name: 'x"\r\nBcc: evil@example.com, <b@c>' })
      .where('id', '=', member.id)
      .execute();
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

  it('58. uses the address of the site in mails, whatever the Host header says', async () => {
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
});
