import { expect, it, onTestFinished } from 'vitest';
import type { Input } from '../../contract/operations.ts';
import { setAuthor } from '../../server/accounts/members/roles.ts';
import { deliverWebhooks } from '../../server/mail/deliver-lanes.ts';
import { queueAdminDigests } from '../../server/mail/digest.ts';
import { noteFailure } from '../../server/moving/archive/backup-state.ts';
import { describeEngines } from '../support/engines.ts';
import { essay, publish } from '../support/factories.ts';
import { type Location, openSite, type Person, refusal, type Site } from '../support/site.ts';
import { startReceiver, verified } from '../support/webhook-receiver.ts';

const hour = 60 * 60_000;
const allowed = { WEBHOOK_NETWORKS: '127.0.0.1' };
const forJson: Omit<Input<'addWebhook'>, 'url'> = { format: 'json', events: ['post'], name: 'A program' };
const url = (postId: string) => `http://localhost:3000/post/${postId}`;

/** A site whose webhooks may be on this machine, and a server that is told. */
async function scene(location: Location, environment: Record<string, string> = allowed) {
  const s = await openSite(location, environment);
  onTestFinished(s.close);
  const [admin, receiver] = [await s.admin(), await startReceiver()];
  const add = async (path: string, more: Partial<Input<'addWebhook'>> = {}) =>
    await s.call(admin, 'addWebhook', { ...forJson, ...more, url: receiver.url(path) });
  /** Sends what is due, and answers what has arrived. */
  const told = async () => {
    await deliverWebhooks(s.deps);
    return receiver.received();
  };
  return { s, admin, receiver, add, told };
}

const deliveries = async (s: Site, admin: Person) =>
  (await s.call(admin, 'getWebhooks', {})).webhooks.map(each => each.deliveries.map(({ state }) => state));

describeEngines(({ migrated }) => {
  it('a webhook is told of a new post, signed, and by its title only if everybody may read it', async () => {
    const { s, admin, add, told } = await scene(await migrated());
    const { secret } = await add('/hook');
    const [open = '', closed = ''] = await publish(
      s,
      admin,
      essay({ title: 'On rain' }),
      essay({ title: 'On snow', content: 'It lies.', description: 'A walk', tags: ['friends'] }),
    );
    const bodies = (await told()).map(each => verified(each, secret, s.deps.clock()));
    const common = { type: 'post.published', timestamp: new Date(s.deps.clock()).toISOString() };
    const site = 'Coterie';
    const text = 'There is a new post';
    expect(bodies).toHaveLength(2);
    expect(bodies).toContainEqual({
      ...common,
      data: { site, text: `${text}: “On rain”`, title: 'On rain', url: url(open) },
    });
    expect(bodies).toContainEqual({ ...common, data: { site, text, url: url(closed) } });
    expect(await told()).toEqual([]);
    expect(await deliveries(s, admin)).toEqual([['sent', 'sent']]);
  });

  it('the right to a post is checked when a webhook is told of it', async () => {
    const { s, admin, add, told } = await scene(await migrated());
    await add('/hook');
    await s.setDefaultTags(['friends']);
    await publish(s, admin, essay({ title: 'On rain', tags: ['friends'] }));
    await s.call(admin, 'setDefaultTags', { tags: [] });
    const [sent] = await told();
    expect(sent?.body).toContain('There is a new post"');
    expect(sent?.body).not.toContain('rain');
    const [postId = ''] = await publish(s, admin, essay({ title: 'On snow' }));
    await s.call(admin, 'deletePost', { postId });
    expect(await told()).toEqual([]);
  });

  it('a server that is busy is told later, the same and once, and one that is away for a day no more', async () => {
    const { s, admin, receiver, add, told } = await scene(await migrated());
    const { secret } = await add('/hook');
    receiver.answer({ status: 503 });
    await publish(s, admin, essay());
    const [first] = await told();
    expect(await deliveries(s, admin)).toEqual([['queued']]);
    // It is no mail.
    expect((await s.call(admin, 'getMailState', {})).queued).toBe(0);
    expect(await told()).toEqual([]);
    s.wait(10 * 60_000);
    const [second] = await told();
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    if (second !== undefined) verified(second, secret, s.deps.clock());
    expect(await deliveries(s, admin)).toEqual([['sent']]);
    s.wait(hour);
    expect(await told()).toEqual([]);
    receiver.answer(...Array.from({ length: 50 }, () => ({ status: 500 })));
    await publish(s, admin, essay());
    let attempts = 0;
    for (let hours = 0; hours < 40; hours += 1) {
      attempts += (await told()).length;
      s.wait(hour);
    }
    expect(attempts).toBeGreaterThan(5);
    expect((await deliveries(s, admin))[0]?.[0]).toBe('failed');
    const [webhook] = (await s.call(admin, 'getWebhooks', {})).webhooks;
    expect(webhook?.deliveries[0]).toMatchObject({ event: 'post', error: 'The server answered 500.' });
  });

  it('a redirect is not followed, and what a server says is not kept', async () => {
    const { s, admin, receiver, add, told } = await scene(await migrated());
    await add('/hook');
    receiver.answer({ status: 302, location: receiver.url('/elsewhere') });
    await publish(s, admin, essay());
    expect((await told()).map(({ path }) => path)).toEqual(['/hook']);
    const [{ deliveries: [delivery] = [] } = {}] = (await s.call(admin, 'getWebhooks', {})).webhooks;
    expect(delivery).toMatchObject({ state: 'queued', error: 'The server answered 302.' });
  });

  it('no inner address is asked unless the site allows it', async () => {
    const { s, admin, receiver, told } = await scene(await migrated(), { WEBHOOK_NETWORKS: '10.0.0.0/8' });
    for (const host of ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '2130706433']) {
      const address = `http://${host}:${receiver.port}/`;
      const { webhook } = await s.call(admin, 'addWebhook', { ...forJson, url: address });
      const test = s.call(admin, 'testWebhook', { webhookId: webhook.id });
      await expect(test).rejects.toThrow(/^The server cannot be asked: .* is not on the public Internet\.$/);
    }
    await publish(s, admin, essay());
    expect(await told()).toEqual([]);
    for (const address of ['file:///etc/passwd', 'ftp://chat.example/', 'chat.example', 'https:'])
      expect(await refusal(s.call(admin, 'addWebhook', { ...forJson, url: address }))).toBe(
        'invalid-argument',
      );
  });

  it('ntfy, Telegram and Matrix are asked in their own forms', async () => {
    const { s, admin, add, told } = await scene(await migrated(), { ...allowed, SITE_TITLE: 'Café' });
    await add('/family', { format: 'ntfy', token: 'tk_1' });
    await add('/bot1:key/sendMessage?chat_id=-5', { format: 'telegram' });
    await add('/_matrix/client/v3/rooms/!r:example/send/m.room.message/', { format: 'matrix', token: 'm' });
    const [postId = ''] = await publish(s, admin, essay({ tags: ['friends'] }));
    const sent = await told();
    const by = (start: string) => sent.find(({ path }) => path.startsWith(start));
    const ntfy = by('/family');
    expect(ntfy).toMatchObject({ method: 'POST', path: '/family', body: 'There is a new post' });
    const title = '=?UTF-8?B?Q2Fmw6k=?=';
    expect(ntfy?.headers).toMatchObject({ title, click: url(postId), authorization: 'Bearer tk_1' });
    const line = `Café: There is a new post\n${url(postId)}`;
    const telegram = by('/bot1');
    expect(telegram?.path).toBe('/bot1:key/sendMessage?chat_id=-5');
    expect(JSON.parse(telegram?.body ?? '')).toEqual({ text: line });
    expect(telegram?.headers.authorization).toBeUndefined();
    const matrix = by('/_matrix');
    const room = '/_matrix/client/v3/rooms/!r:example/send/m.room.message';
    expect(matrix?.path).toBe(`${room}/${matrix?.headers['webhook-id']}`);
    expect(matrix).toMatchObject({ method: 'PUT', headers: { authorization: 'Bearer m' } });
    expect(JSON.parse(matrix?.body ?? '')).toEqual({ msgtype: 'm.notice', body: line });
  });

  it('an admin’s events name nobody, come once an hour, and only if somebody still waits', async () => {
    const { s, admin, add, told } = await scene(await migrated());
    const member = await s.member([], 'mina');
    const posts = await publish(s, admin, essay(), essay({ tags: ['friends'] }));
    const [postId = '', closed = ''] = posts;
    const { comment } = await s.call(admin, 'addComment', { postId, content: 'Rude.' });
    await add('/hook', { events: ['waiting', 'asked', 'reported', 'backup-failed'] });
    const waiting = await s.signUp('lucy');
    await s.call(member, 'reportComment', { commentId: comment.id, word: 'Rude' });
    const request = { post_id: closed, user_id: member.id, word: 'Please', created_at: s.deps.clock() };
    await s.deps.db.insertInto('access_requests').values(request).execute();
    await noteFailure(s.deps, 'No space left on /mnt/backups');
    await queueAdminDigests(s.deps);
    await queueAdminDigests(s.deps);
    const bodies = (await told()).map(({ body }) => body);
    expect(bodies.map(body => JSON.parse(body).type).sort()).toEqual([
      'account.waiting',
      'backup.failed',
      'comment.reported',
      'request.made',
    ]);
    expect(bodies.join(' ')).not.toMatch(/lucy|mina|rude|please|mnt/i);
    s.wait(2 * hour);
    await s.signUp('jonathan');
    await queueAdminDigests(s.deps);
    await s.deps.db.deleteFrom('users').where('status', '=', 'pending').execute();
    expect(waiting.username).toBe('lucy');
    expect(await told()).toEqual([]);
    await s.deps.db.deleteFrom('access_requests').execute();
    const proposal = { user_id: member.id, email: 'seward@example.org', name: 'Jack', word: '' };
    await s.deps.db
      .insertInto('proposals')
      .values({ ...proposal, created_at: s.deps.clock() })
      .execute();
    await queueAdminDigests(s.deps);
    const [proposed] = await told();
    expect(proposed?.body).toContain('A member asks the admins for something');
    expect(JSON.parse(proposed?.body ?? '').data.url).toMatch(/\/admin\/invitations#proposals$/);
    expect(proposed?.body).not.toMatch(/seward|jack/i);
    s.wait(2 * hour);
    await s.deps.db.updateTable('proposals').set({ created_at: s.deps.clock() }).execute();
    await queueAdminDigests(s.deps);
    await s.call(admin, 'denyUser', { userId: member.id });
    expect(await told()).toEqual([]);
  });

  it('a test is sent at once, and tells why it was not taken', async () => {
    const { s, admin, receiver, add } = await scene(await migrated());
    const { webhook, secret } = await add('/hook');
    await s.call(admin, 'testWebhook', { webhookId: webhook.id });
    const [sent] = receiver.received();
    const now = s.deps.clock();
    expect(sent && verified(sent, secret, now)).toMatchObject({ type: 'test' });
    const forged = sent && { ...sent, body: sent.body.replace('test', 'post') };
    expect(() => forged && verified(forged, secret, now)).toThrow('No matching signature found');
    receiver.answer({ status: 404 });
    const test = s.call(admin, 'testWebhook', { webhookId: webhook.id });
    await expect(test).rejects.toThrow('The server answered 404.');
  });

  it('a webhook that was removed is told nothing more, and the history names both', async () => {
    const { s, admin, add, told } = await scene(await migrated());
    s.wait(1);
    const { webhook } = await add('/hook');
    await publish(s, admin, essay());
    await s.call(admin, 'removeWebhook', { webhookId: webhook.id });
    await s.call(admin, 'removeWebhook', { webhookId: webhook.id });
    expect(await told()).toEqual([]);
    const { entries } = await s.call(admin, 'getHistory', {});
    const kinds = entries.map(({ kind, thing }) => [kind, thing?.name]);
    expect(kinds.slice(0, 2)).toEqual([
      ['webhook-removed', 'A program'],
      ['webhook-added', 'A program'],
    ]);
  });

  it('only admins see webhooks, and nobody is shown their keys again', async () => {
    const { s, admin, add } = await scene(await migrated());
    const { webhook, secret } = await add('/bot1:key/sendMessage', { token: 'tk_secret' });
    const author = await s.member([], 'author');
    await setAuthor(s.deps, author.id, true);
    const webhookId = webhook.id;
    for (const [person, code] of [
      [null, 'unauthenticated'],
      [await s.member([], 'member'), 'permission-denied'],
      [author, 'permission-denied'],
      [await s.signUp('waiting'), 'permission-denied'],
      [await s.denied(), 'unauthenticated'],
    ] as const) {
      const another = { ...forJson, url: 'https://chat.example/' };
      expect(await refusal(s.call(person, 'getWebhooks', {}))).toBe(code);
      expect(await refusal(s.call(person, 'addWebhook', another))).toBe(code);
      expect(await refusal(s.call(person, 'testWebhook', { webhookId }))).toBe(code);
      expect(await refusal(s.call(person, 'removeWebhook', { webhookId }))).toBe(code);
    }
    const answer = JSON.stringify([
      await s.call(admin, 'getWebhooks', {}),
      await s.call(admin, 'getHistory', {}),
    ]);
    for (const key of ['bot1', 'tk_secret', secret]) expect(answer).not.toContain(key);
  });
});
