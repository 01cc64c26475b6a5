import assert from 'node:assert/strict';
import { hasPgBouncer, startPgBouncer } from '../support/pgbouncer.ts';
import { Client } from './client.ts';
import type { Place } from './place.ts';

const password = 'reader-of-the-deaf';

/**
 * Two servers behind a pooler in transaction mode, which passes no notices on. When an admin takes something
 * away through one server, the other must give it to nobody from its next answer on: a deleted post, and a
 * post whose tag a reader has lost.
 */
export async function runDeaf(place: Place, { rounds }: { rounds: number }): Promise<object> {
  const { postgres, location } = place;
  if (postgres === undefined || location.databaseUrl === undefined) return { skipped: 'only on PostgreSQL' };
  if (!hasPgBouncer) return { skipped: 'PgBouncer is not installed' };
  const pooler = await startPgBouncer(postgres.url);
  try {
    const DATABASE_URL = `${pooler.url}${new URL(location.databaseUrl).pathname}`;
    const [one, two] = [await place.site({ DATABASE_URL }), await place.site({ DATABASE_URL })];
    await one.start();
    await one.createAdmin();
    await two.start();
    const [admin, visitor, reader] = [new Client(one.url), new Client(two.url), new Client(two.url)];
    await admin.signIn('mina@example.com');
    const account = { username: 'reader', name: 'A Reader', email: 'reader@example.com', password };
    const { user } = await reader.told('signUp', account);
    assert.ok(user !== null);
    await admin.told('addTag', { name: 'friends' });
    await admin.told('approveUser', { userId: user.id, tags: [] });
    await reader.signIn(account.email, password);
    for (let round = 0; round < rounds; round += 1) {
      const publish = async (tags: string[]) =>
        (await admin.told('createPost', { type: 'short', content: `Round ${round}`, tags, isDraft: false }))
          .post.id;
      const [open, closed] = [await publish([]), await publish(['friends'])];
      await visitor.told('getPost', { postId: open });
      await admin.told('setApprovedTags', { userId: user.id, tags: ['friends'] });
      await reader.told('getPost', { postId: closed });
      await admin.told('setApprovedTags', { userId: user.id, tags: [] });
      assert.equal(statusOf(await reader.askPatiently('getPost', { postId: closed })), 403);
      await admin.told('deletePost', { postId: open });
      assert.equal(statusOf(await visitor.askPatiently('getPost', { postId: open })), 404);
    }
    return { rounds };
  } finally {
    await pooler.stop();
  }
}

const statusOf = (answer: object) => ('status' in answer ? answer.status : 200);
