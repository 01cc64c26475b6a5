import { createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { deliverDue } from '../../server/mail/deliver.ts';
import { mailTransport } from '../../server/mail/transport.ts';
import { queueMail } from '../../server/mail/write.ts';
import { describeEngines } from '../support/engines.ts';
import { listen } from '../support/listen.ts';
import { withSmtp } from '../support/mailing-site.ts';
import type { Site } from '../support/site.ts';

/**
 * A mail server that answers each command `250`, unless `answer` has other bytes for it; null hangs up.
 * Returns the site's parts that send to it, with one mail in the queue.
 */
async function sendingTo(s: Site, answer: (command: string) => Buffer | string | null | undefined) {
  const server = createServer(socket => {
    socket.on('error', () => {});
    socket.write('220 rude.example\r\n');
    socket.on('data', data => {
      for (const line of data.toString().split('\r\n').filter(Boolean)) {
        const said = answer(line);
        if (said === null) return void socket.destroy();
        socket.write(said ?? '250 Yes\r\n');
      }
    });
  });
  const port = await listen(server);
  const mail = mailTransport(
    { ...s.config, smtpUrl: `smtp://127.0.0.1:${port}`, mailFrom: 'a@b.example' },
    s.deps.settings,
  );
  onTestFinished(() => {
    mail.close();
    server.close();
  });
  const { id: userId } = await s.signUp('mina');
  await s.deps.db.deleteFrom('mails').execute();
  await queueMail(s.deps.db, s.deps.clock(), {
    kind: 'confirm',
    userId,
    data: { token: 'x', to: 'mina@example.com' },
  });
  return { ...s.deps, mail };
}

describeEngines(({ site, siteWithAdmin }) => {
  it.each([
    ['for good', 550, 'failed'],
    ['for now', 450, 'queued'],
  ])('what a mail server answers may hold any bytes, and refuses one mail, %s', async (_, code, state) => {
    const s = await site();
    const long = Buffer.alloc(100_000, 'x');
    const refusal = [`${code}-No\0such\r\n${code} \u001b[31mbox `, long, '\r\n'].map(part =>
      Buffer.from(part),
    );
    const deps = await sendingTo(s, line => (line.startsWith('RCPT') ? Buffer.concat(refusal) : undefined));
    expect(await deliverDue(deps)).toMatchObject({ sent: 0 });
    const [mail] = await s.deps.db.selectFrom('mails').select(['state', 'error']).execute();
    expect(mail?.state).toBe(state);
    expect(mail?.error).toMatch(/No such/);
    expect(mail?.error).not.toMatch(/\p{Cc}/u);
    expect(mail?.error?.length).toBeLessThanOrEqual(500);
  });

  it('a mail whose server answers nothing before it has the message is tried again like any other', async () => {
    const s = await site();
    let asked = 0;
    const deps = await sendingTo(s, line => {
      if (!line.startsWith('DATA')) return;
      asked += 1;
      return null;
    });
    for (let times = 1; times <= 5; times += 1) {
      expect(await deliverDue(deps)).toMatchObject({ sent: 0, isServerDown: false });
      s.wait(60 * 60_000);
    }
    expect(asked).toBe(5);
    const [mail] = await s.deps.db.selectFrom('mails').select(['state', 'attempts']).execute();
    expect(mail).toEqual({ state: 'queued', attempts: 5 });
  });

  it('a mail whose server answers nothing once it has the whole message is sent three times at most', async () => {
    const [s, admin] = await siteWithAdmin();
    const { smtp, deps } = await withSmtp(s, { onMail: () => smtp.hangUp() });
    await queueMail(s.deps.db, s.deps.clock(), {
      kind: 'notice',
      userId: admin.id,
      data: { notice: 'password-changed' },
    });
    const copies: number[] = [];
    for (const minutes of [1, 5 * 60, 60, 6 * 60, 24 * 60]) {
      await deliverDue(deps);
      copies.push(smtp.mails.length);
      s.wait(minutes * 60_000);
    }
    expect(copies).toEqual([1, 2, 2, 3, 3]);
    const [problem] = (await s.call(admin, 'getMailState', {})).problems;
    expect(problem).toMatchObject({ state: 'failed', error: expect.stringContaining('did not answer') });
  });
});
