import { expect, it } from 'vitest';
import { threadMaxCharacters } from '../../contract/constants.ts';
import type { Output } from '../../contract/operations.ts';
import { conversation } from '../support/conversation.ts';
import { describeEngines } from '../support/engines.ts';
import { refusal } from '../support/site.ts';

describeEngines(({ site }) => {
  it('a conversation ends a page before the thread with which it would hold too many characters', async () => {
    const s = await site();
    const { admin, reader, postId, first } = await conversation(s);
    const row = (id: string, length: number, fields: { parent_id?: string; hidden_at?: number } = {}) => ({
      ...{
        id,
        post_id: postId,
        user_id: admin.id,
        content: 'x'.repeat(length),
        created_at: id.charCodeAt(0),
      },
      ...{ parent_id: null, hidden_at: null, ...fields },
    });
    const half = threadMaxCharacters / 2;
    const rows = [
      row('a', 1, { parent_id: first.id }),
      row('b', half + 1),
      row('c', half, { parent_id: 'b' }),
      row('d', half),
      row('e', half - 1, { parent_id: 'd' }),
      row('f', half, { parent_id: 'd', hidden_at: 1 }),
      row('g', 1),
    ].map(one => (one.parent_id === null ? { ...one, created_at: one.created_at + s.deps.clock() } : one));
    await s.deps.db.insertInto('comments').values(rows).execute();
    const pages = async (person: typeof reader) => {
      const found: string[] = [];
      for (let after: string | null = null; ; ) {
        const page: Output<'listComments'> = await s.call(person, 'listComments', {
          ...{ postId, threads: true, after },
        });
        found.push(page.comments.map(({ id }) => (id === first.id ? 'first' : id)).join(' '));
        after = page.nextCursor;
        if (after === null) return found;
      }
    };
    // Exactly the most characters, and one thread that is longer alone.
    expect(await pages(reader)).toEqual(['g d e', 'b c', 'first a']);
    // An admin also gets the hidden one.
    expect(await pages(admin)).toEqual(['g', 'd e f', 'b c', 'first a']);
  });

  it('a conversation takes no answer, and no longer words in one, above the characters of a thread', async () => {
    const s = await site();
    const { admin, reader, postId, add, first } = await conversation(s);
    const { id: commentId } = await add(reader, 'four', first.id);
    const content = 'x'.repeat(threadMaxCharacters - 5);
    const long = {
      id: 'long',
      post_id: postId,
      user_id: admin.id,
      content,
      created_at: 1,
      parent_id: first.id,
    };
    await s.deps.db.insertInto('comments').values(long).execute();
    const edit = (words: string) => s.call(reader, 'editComment', { commentId, content: words });
    await expect(add(reader, 'xx', first.id)).rejects.toThrow('250,000 characters together');
    expect(await refusal(edit('longer'))).toBe('failed-precondition');
    expect((await edit('five5')).comment.content).toBe('five5');
    expect((await edit('less')).comment.content).toBe('less');
    expect((await add(reader, 'x', first.id)).content).toBe('x');
    expect((await add(reader, 'A new one')).content).toBe('A new one');
  });

  it('an export of one’s own data holds half a million characters of comments at a time', async () => {
    const s = await site();
    const { writer, postId } = await conversation(s);
    await s.deps.db.deleteFrom('comments').execute();
    const row = (at: number, length: number) => ({
      ...{ id: `${at}`, post_id: postId, user_id: writer.id, created_at: at, content: 'x'.repeat(length) },
    });
    const rows = [row(1, 250_000), row(2, 250_000), row(3, 1)];
    await s.deps.db.insertInto('comments').values(rows).execute();
    const first = await s.call(writer, 'exportAccount', {});
    expect(first.data.comments).toMatchObject([{ id: '1' }, { id: '2' }]);
    const second = await s.call(writer, 'exportAccount', { after: first.nextCursor });
    expect(second).toMatchObject({ data: { comments: [{ id: '3' }] }, nextCursor: null });
  });
});
