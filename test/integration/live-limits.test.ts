import { expect, it } from 'vitest';
import { viewerOfUser } from '../../server/access/viewer.ts';
import { createApp } from '../../server/app.ts';
import { addComment } from '../../server/comments/write.ts';
import { streamsPerAccount } from '../../server/live/hub.ts';
import { describeEngines } from '../support/engines.ts';
import { publish, shortPost } from '../support/factories.ts';
import { LiveStream, openLive } from '../support/live.ts';
import { sourcePages } from '../support/site.ts';

describeEngines(({ site, siteWithAdmin }) => {
  it('69. the live stream limits the streams of an account, and ends when the client disconnects', async () => {
    const s = await site();
    const [admin, member] = [await s.admin(), await s.member()];
    const [postId = ''] = await publish(s, admin, shortPost());
    const streams: LiveStream[] = [];
    const answers = await Promise.all(
      Array.from({ length: streamsPerAccount + 8 }, () => s.request(`/live?post=${postId}`, member)),
    );
    for (const answer of answers) {
      if (answer.status === 200) streams.push(new LiveStream(answer));
      else expect(answer.status).toBe(429);
    }
    expect(streams).toHaveLength(streamsPerAccount);
    const refused = await s.request(`/live?post=${postId}`, member);
    expect(refused.status).toBe(429);
    for (const stream of streams) await stream.close();
    await (await openLive(s, member, postId)).close();
  });

  it('69. the live stream drops a reader who never reads', async () => {
    const s = await site();
    const [admin, member] = [await s.admin(), await s.member()];
    const [postId = ''] = await publish(s, admin, shortPost());
    const reading = await openLive(s, admin, postId);
    const author = await viewerOfUser(s.deps.db, member.id, new Set());
    const silent = await s.request(`/live?post=${postId}`, member);
    await reading.until('state');
    for (let i = 0; i < 80; i += 1) {
      await addComment(s.deps, author, { postId, content: 'x'.repeat(5_000) }, async () => {});
      // Each is waited for, so that they do not come in one event.
      await reading.until('comments');
    }
    // What was waiting when they were dropped, and then the end.
    const waiting = await new LiveStream(silent).take(100);
    expect(waiting.length).toBeGreaterThan(20);
    expect(waiting.length).toBeLessThan(80);
  });

  it('73. the live stream ends when the server stops', async () => {
    const [s, admin] = await siteWithAdmin();
    const stream = await openLive(s, admin);
    await stream.until('viewer');
    const stopping = new AbortController();
    const app = createApp({ ...s.deps, stopping: stopping.signal }, sourcePages);
    const other = new LiveStream(
      await app.request(`${s.config.publicUrl}/live`, { headers: { cookie: admin.cookie } }),
    );
    await other.until('viewer');
    stopping.abort();
    expect(await other.next()).toBeUndefined();
    expect(
      (await app.request(`${s.config.publicUrl}/live`, { headers: { cookie: admin.cookie } })).status,
    ).toBe(503);
  });

  it('73. the live stream does not open when the server stops while it is looked up whether it may', async () => {
    const [s, admin] = await siteWithAdmin();
    const stopping = new AbortController();
    const { limits } = s.deps;
    const countStream = limits.countStream.bind(limits);
    limits.countStream = async userId => {
      await countStream(userId);
      stopping.abort();
    };
    const app = createApp({ ...s.deps, stopping: stopping.signal }, sourcePages);
    const address = `${s.config.publicUrl}/live`;
    expect((await app.request(address, { headers: { cookie: admin.cookie } })).status).toBe(503);
  });
});
