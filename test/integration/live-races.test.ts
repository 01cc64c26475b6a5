import { expect, it } from 'vitest';
import { inTransaction } from '../../server/db/transaction.ts';
import { describeEngines } from '../support/engines.ts';
import { publish, shortPost } from '../support/factories.ts';
import { LiveStream } from '../support/live.ts';

describeEngines(({ site }) => {
  it('the live stream sends a comment to a reader who gets a tag back while the news without it are read', async () => {
    const s = await site();
    const [admin, member] = [await s.admin(), await s.member(['friends'])];
    const [postId = ''] = await publish(s, admin, shortPost('shut', ['friends']));
    const stream = new LiveStream(await s.request(`/live?post=${postId}`, member));
    await stream.until('state');
    const { db, changes } = s.deps;
    const held = await db
      .selectFrom('approved_tags')
      .selectAll()
      .where('user_id', '=', member.id)
      .executeTakeFirstOrThrow();
    // The update takes up the rights first, then reads the news, then asks whether something has changed
    // meanwhile.
    const { catalogue } = s.deps;
    let hasReadRights = false;
    s.deps.catalogue = async () => {
      const known = await catalogue();
      hasReadRights ||= (await db.selectFrom('approved_tags').selectAll().execute()).length === 0;
      return known;
    };
    const fresh = changes.caughtUp.bind(changes);
    let givenBack: Promise<unknown> | undefined;
    changes.caughtUp = async () => {
      // Polls that nobody asked for come this way, too: none may find the tag on its way back, and send that
      // the post is gone.
      if (hasReadRights) givenBack ??= db.insertInto('approved_tags').values(held).execute();
      await givenBack;
      await fresh();
    };
    await inTransaction(s.deps, async trx => {
      await trx.deleteFrom('approved_tags').where('user_id', '=', member.id).execute();
      await trx
        .insertInto('comments')
        .values({
          id: 'one',
          post_id: postId,
          user_id: admin.id,
          key: null,
          content: 'Hello.',
          created_at: s.deps.clock(),
        })
        .execute();
    });
    const told = await stream.until('comments');
    expect(givenBack).toBeDefined();
    expect(told).toMatchObject({ added: [{ content: 'Hello.' }], removed: [] });
    await stream.close();
  });

  it('the live stream sends a comment that is added while the news are read with the count that includes it', async () => {
    const s = await site();
    const [admin, member] = [await s.admin(), await s.member()];
    const [postId = ''] = await publish(s, admin, shortPost());
    const stream = new LiveStream(await s.request(`/live?post=${postId}`, member));
    await stream.until('state');
    const { catalogue } = s.deps;
    let added: Promise<void> | undefined;
    // Asked before the counts are read.
    s.deps.catalogue = async () => {
      added ??= inTransaction(s.deps, async trx => {
        const written = { post_id: postId, user_id: admin.id, key: null, created_at: s.deps.clock() };
        await trx
          .insertInto('comments')
          .values({ ...written, id: 'one', content: 'Hello.' })
          .execute();
        await trx.updateTable('posts').set({ comment_count: 1 }).where('id', '=', postId).execute();
      });
      await added;
      return await catalogue();
    };
    await inTransaction(s.deps, async trx => {
      await trx.updateTable('posts').set({ like_count: 1 }).where('id', '=', postId).execute();
    });
    expect(await stream.until('comments')).toMatchObject({
      added: [{ content: 'Hello.' }],
      commentCount: 1,
      likeCount: 1,
    });
    await stream.close();
  });
});
