import { expect, it } from 'vitest';
import { z } from 'zod';
import { answersPerComment, commentEditGraceMs, commentsPerPage } from '../../contract/constants.ts';
import type { Output } from '../../contract/operations.ts';
import { dayMs } from '../../server/base/clock.ts';
import { examine } from '../../server/cli/examine.ts';
import { expandAnnouncements } from '../../server/mail/announce.ts';
import { conversation } from '../support/conversation.ts';
import { describeEngines } from '../support/engines.ts';
import { publish, shortPost } from '../support/factories.ts';
import { openLive } from '../support/live.ts';
import { saveSettings } from '../support/save-settings.ts';
import { type Person, refusal, renewSessions } from '../support/site.ts';

describeEngines(({ site }) => {
  it('a conversation lists answers below their comment, oldest first, and all flat and newest first for older programs', async () => {
    const s = await site();
    const { admin, writer, reader, postId, add, threads, shown, first } = await conversation(s);
    await add(reader, 'second');
    const answer = await add(admin, 'answer', first.id);
    expect(answer.parentId).toBe(first.id);
    // One level deep: an answer to an answer stands beside it.
    expect((await add(writer, 'another', answer.id)).parentId).toBe(first.id);
    expect(await shown(reader)).toEqual(['second', 'first', 'answer', 'another']);
    expect((await threads(reader)).commentCount).toBe(4);
    const flat = await s.call(reader, 'listComments', { postId });
    expect(flat.comments.map(({ content }) => content)).toEqual(['another', 'answer', 'second', 'first']);
  });

  it('a conversation has pages by the comments with which threads begin', async () => {
    const s = await site();
    const { admin, reader, postId, threads, first } = await conversation(s);
    const now = s.deps.clock();
    const row = (id: string, created_at: number, parent_id: string | null) => ({
      ...{ id, post_id: postId, user_id: admin.id, content: id, created_at, parent_id },
    });
    const rows = Array.from({ length: commentsPerPage }, (_, i) => row(`later${i}`, now + 1 + i, null));
    const answers = Array.from({ length: 30 }, (_, i) => row(`answer${i}`, now + 100 + i, first.id));
    await s.deps.db
      .insertInto('comments')
      .values([...rows, ...answers])
      .execute();
    const page = await threads(reader);
    expect(page.comments.map(({ id }) => id)).toEqual(rows.map(({ id }) => id).toReversed());
    const next = await s.call(reader, 'listComments', { postId, threads: true, after: page.nextCursor });
    expect(next.comments.map(({ id }) => id)).toEqual([first.id, ...answers.map(({ id }) => id)]);
    expect(next.nextCursor).toBeNull();
  });

  it('a conversation ends a page before the thread with which it would hold too many answers', async () => {
    const s = await site();
    const { admin, reader, postId, add } = await conversation(s);
    const begun: string[] = [];
    for (const word of ['long', 'short', 'longer', 'hidden']) begun.unshift((await add(reader, word)).id);
    const now = s.deps.clock();
    const answers = (parent_id: string | undefined, count: number, hidden_at: number | null = null) =>
      Array.from({ length: count }, (_, i) => ({
        ...{ id: `${parent_id}${i}`, post_id: postId, user_id: admin.id, content: 'answer', hidden_at },
        ...{ created_at: now + i, parent_id, hidden_reason: hidden_at === null ? null : 'why' },
      }));
    const [hidden, longer, short, long] = begun;
    const rows = [
      ...answers(hidden, 150, now),
      ...answers(longer, 199),
      ...answers(short, 1),
      ...answers(long, 2),
    ];
    await s.deps.db.insertInto('comments').values(rows).execute();
    const pages = async (person: typeof reader) => {
      const found: (string | undefined)[][] = [];
      for (let after: string | null = null; ; ) {
        const page: Output<'listComments'> = await s.call(person, 'listComments', {
          ...{ postId, threads: true, after },
        });
        found.push(page.comments.flatMap(({ id, parentId }) => (parentId === null ? [id] : [])));
        after = page.nextCursor;
        if (after === null) return found.map(ids => ids.filter(id => begun.includes(id ?? '')));
      }
    };
    // Answers that a reader may not see do not count for the length of a page.
    expect(await pages(reader)).toEqual([[hidden, longer, short], [long]]);
    expect(await pages(admin)).toEqual([[hidden], [longer, short], [long]]);
  });

  it('a conversation takes no answer to a comment of another post, to a deleted one, and to one that has many', async () => {
    const s = await site();
    const { admin, reader, postId, add, first } = await conversation(s);
    const [other = ''] = await publish(s, admin, shortPost());
    const answer = (post: string, parentId: string) =>
      refusal(s.call(reader, 'addComment', { postId: post, content: 'x', parentId }));
    expect(await answer(other, first.id)).toBe('not-found');
    const deleted = await add(admin, 'gone');
    await s.call(admin, 'deleteComment', { commentId: deleted.id });
    expect(await answer(postId, deleted.id)).toBe('not-found');
    const rows = Array.from({ length: answersPerComment }, (_, i) => ({
      ...{ id: `answer${i}`, post_id: postId, user_id: admin.id, content: 'x', created_at: i },
      parent_id: first.id,
    }));
    await s.deps.db.insertInto('comments').values(rows).execute();
    expect(await answer(postId, first.id)).toBe('failed-precondition');
  });

  it('a conversation marks a comment as edited after five minutes, and keeps no earlier words', async () => {
    const s = await site();
    const { admin, writer, reader, threads, first } = await conversation(s);
    const edit = (as: Person, content: string) => s.call(as, 'editComment', { commentId: first.id, content });
    s.wait(commentEditGraceMs);
    expect((await edit(writer, 'soon')).comment).toMatchObject({ content: 'soon', editedAt: null });
    s.wait(1);
    const { comment } = await edit(writer, 'later');
    expect(comment.editedAt).toBe(new Date(s.deps.clock()).toISOString());
    expect((await threads(reader)).comments).toMatchObject([
      { content: 'later', editedAt: comment.editedAt },
    ]);
    for (const other of [admin, reader]) expect(await refusal(edit(other, 'x'))).toBe('permission-denied');
    expect(await refusal(edit(writer, ' '))).toBe('invalid-argument');
  });

  it('a deleted comment with answers leaves a placeholder without words and name', async () => {
    const s = await site();
    const { admin, writer, reader, postId, add, threads, shown, first } = await conversation(s);
    const answer = await add(reader, 'answer', first.id);
    const deleted = await s.call(writer, 'deleteComment', { commentId: first.id });
    expect(deleted).toMatchObject({
      commentCount: 1,
      comment: { state: 'deleted', content: '', userId: null },
    });
    expect(await shown(admin)).toEqual(['deleted', 'answer']);
    expect(JSON.stringify(await threads(admin))).not.toContain('lucy');
    const flat = await s.call(reader, 'listComments', { postId });
    expect(flat.comments.map(({ content }) => content)).toEqual(['answer']);
    expect(await refusal(s.call(admin, 'deleteComment', { commentId: first.id }))).toBe('not-found');
    expect(await examine(s.deps)).toEqual([]);
    await s.call(reader, 'deleteComment', { commentId: answer.id });
    expect(await shown(admin)).toEqual([]);
    expect(await s.deps.db.selectFrom('comments').select('id').execute()).toEqual([]);
  });

  it('the placeholder of a deleted comment is shown to those who see an answer', async () => {
    const s = await site();
    const { admin, writer, reader, postId, add, shown, first } = await conversation(s);
    const other = await s.member([], 'nora');
    const answer = await add(reader, 'answer', first.id);
    await s.call(writer, 'deleteComment', { commentId: first.id });
    const stream = await openLive(s, other, postId);
    await stream.until('state');
    await s.call(admin, 'hideComment', { commentId: answer.id, reason: 'no' });
    const { added, removed } = await stream.until('comments');
    expect([added, removed.toSorted()]).toEqual([[], [first.id, answer.id].toSorted()]);
    expect(await shown(other)).toEqual([]);
    for (const person of [admin, reader]) expect(await shown(person)).toEqual(['deleted', 'hidden']);
    await s.call(admin, 'restoreComment', { commentId: answer.id });
    const again = await stream.until('comments');
    expect(again.added.map(({ state }) => state).toSorted()).toEqual(['deleted', 'shown']);
    expect(await shown(other)).toEqual(['deleted', 'answer']);
  });

  it('a deleted account takes its comments along and leaves the answers of others', async () => {
    const s = await site();
    const { admin, writer, reader, add, shown, threads, first } = await conversation(s);
    await add(reader, 'answer', first.id);
    const mine = await add(writer, 'alone');
    await add(writer, 'to myself', mine.id);
    const hers = await add(reader, 'hers');
    await add(writer, 'to her', hers.id);
    await s.call(writer, 'deleteAccount', { comments: 'delete' });
    expect(await shown(admin)).toEqual(['hers', 'deleted', 'answer']);
    expect((await threads(admin)).commentCount).toBe(2);
    expect(await examine(s.deps)).toEqual([]);
  });

  it('comments are closed for one post, and for posts older than a setting', async () => {
    const s = await site();
    const { admin, writer, reader, postId, threads, shown } = await conversation(s);
    const close = (as: Person, isClosed: boolean) => s.call(as, 'setCommentsClosed', { postId, isClosed });
    const write = () => s.call(writer, 'addComment', { postId, content: 'more' });
    expect(await refusal(close(reader, true))).toBe('permission-denied');
    expect((await threads(reader)).closedAt).toBeNull();
    const { closedAt } = await close(admin, true);
    expect(await threads(reader)).toMatchObject({ closedAt, canClose: false });
    expect((await threads(admin)).canClose).toBe(true);
    expect(await refusal(write())).toBe('failed-precondition');
    expect(await shown(reader)).toEqual(['first']);
    await close(admin, false);
    await write();
    await saveSettings(s, admin, { commentsCloseAfter: '2' });
    await write();
    s.wait(2 * dayMs);
    expect(await refusal(write())).toBe('failed-precondition');
    await saveSettings(s, admin, { commentsCloseAfter: 'never' });
    await write();
  });

  it('a post with a date of long ago takes comments as long as one of today', async () => {
    const s = await site();
    const { admin, writer } = await conversation(s);
    await saveSettings(s, admin, { commentsCloseAfter: '2' });
    const date = new Date(s.deps.clock() - 60 * dayMs).toISOString();
    const { post } = await s.call(admin, 'createPost', { ...shortPost('dated'), isDraft: true });
    const postId = post.id;
    s.wait(30 * dayMs);
    await renewSessions(s);
    await s.call(admin, 'updatePost', { ...shortPost('dated'), postId, date });
    const write = () => s.call(writer, 'addComment', { postId, content: 'words' });
    const tellMore = async () => {
      await expandAnnouncements(s.deps);
      await s.call(admin, 'updatePost', { ...shortPost('dated'), postId, tellsNewReaders: true });
    };
    await write();
    await tellMore();
    await write();
    s.wait(2 * dayMs);
    expect(await refusal(write())).toBe('failed-precondition');
    await tellMore();
    expect(await refusal(write())).toBe('failed-precondition');
  });

  it('a conversation changes open pages: an edited comment, a place, a hidden comment, and closed comments', async () => {
    const s = await site();
    const { admin, writer, reader, postId, add, threads, first } = await conversation(s);
    const stream = await openLive(s, reader, postId);
    const { version } = await stream.until('state');
    expect(version).toBe((await threads(reader)).version);
    await s.call(writer, 'editComment', { commentId: first.id, content: 'edited' });
    expect(await stream.until('comments')).toMatchObject({
      ...{ added: [{ id: first.id, content: 'edited' }], removed: [], version: version + 1 },
    });
    await s.call(admin, 'hideComment', { commentId: first.id, reason: 'no' });
    expect(await stream.until('comments')).toMatchObject({ added: [], removed: [first.id], commentCount: 0 });
    await s.call(admin, 'restoreComment', { commentId: first.id });
    expect(await stream.until('comments')).toMatchObject({ added: [{ id: first.id }], commentCount: 1 });
    await add(reader, 'answer', first.id);
    await stream.until('comments');
    await s.call(writer, 'deleteComment', { commentId: first.id });
    // Pages of older programs remove it, newer ones show its place.
    expect(await stream.until('comments')).toMatchObject({
      ...{ added: [{ id: first.id, state: 'deleted', content: '' }], removed: [first.id] },
    });
    const { closedAt } = await s.call(admin, 'setCommentsClosed', { postId, isClosed: true });
    expect(await stream.until('comments')).toMatchObject({ added: [], removed: [], closedAt });
    await s.call(admin, 'setCommentsClosed', { postId, isClosed: false });
    expect(await stream.until('comments')).toMatchObject({ closedAt: null });
    await saveSettings(s, admin, { commentsCloseAfter: '3' });
    expect(await stream.until('comments')).toMatchObject({ closedAt: expect.stringContaining('T') });
  });

  it('a conversation is whole in the export of one’s own data', async () => {
    const s = await site();
    const { admin, writer, reader, add, first } = await conversation(s);
    await add(writer, 'answer', first.id);
    await s.call(reader, 'reportComment', { commentId: first.id, word: 'rude' });
    const { data } = await s.call(reader, 'exportAccount', {});
    expect(data).toMatchObject({ reports: [{ commentId: first.id, word: 'rude' }] });
    await s.call(admin, 'hideComment', { commentId: first.id, reason: 'no' });
    expect(await s.call(writer, 'exportAccount', {})).toMatchObject({
      data: { comments: [{ hiddenReason: 'no' }, { parentId: first.id }] },
    });
  });

  it('an export of one’s own data holds 500 comments at a time, and the next parts nothing else', async () => {
    const s = await site();
    const { writer, postId } = await conversation(s);
    const { db } = s.deps;
    await db.deleteFrom('comments').execute();
    const written = Array.from({ length: 501 }, (_, at) => ({
      ...{ id: `comment-${String(at).padStart(8, '0')}`, post_id: postId, user_id: writer.id },
      ...{ content: `Comment ${at}.`, created_at: Math.floor(at / 2), key: null, parent_id: null },
    }));
    await db.insertInto('comments').values(written.toReversed()).execute();
    const first = await s.call(writer, 'exportAccount', {});
    expect(first.data).toMatchObject({ account: { username: writer.username } });
    const second = await s.call(writer, 'exportAccount', { after: first.nextCursor });
    expect(second).toMatchObject({ data: { comments: [{ id: written[500]?.id }] }, nextCursor: null });
    expect(Object.keys(second.data)).toEqual(['comments']);
    const ids = z.array(z.object({ id: z.string() })).parse(first.data.comments);
    expect(ids.map(({ id }) => id)).toEqual(written.slice(0, 500).map(({ id }) => id));
  });
});
