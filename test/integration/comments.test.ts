import { expect, it } from 'vitest';
import { commentMaxCharacters, commentsPerPage } from '../../contract/constants.ts';
import { AppError } from '../../contract/errors.ts';
import { viewerOfUser } from '../../server/access/viewer.ts';
import { addComment } from '../../server/comments/write.ts';
import { describeEngines } from '../support/engines.ts';
import { publish, shortPost } from '../support/factories.ts';
import { type Person, refusal, type Site } from '../support/site.ts';

const contentOf = (comments: { content: string }[]) => comments.map(comment => comment.content);

async function everyComment(site: Site, as: Person, postId: string) {
  const pages = [];
  for (let after: string | null = null, more = true; more; ) {
    const page: Awaited<ReturnType<typeof site.call<'listComments'>>> = await site.call(as, 'listComments', {
      postId,
      after,
    });
    pages.push(page);
    after = page.nextCursor;
    more = after !== null;
  }
  return pages;
}

/** Comments as somebody, past the surface: so many at once from one person are too many for it. */
async function commenter({ deps }: Site, person: NonNullable<Person>) {
  const viewer = await viewerOfUser(deps.db, person.id, (await deps.catalogue()).defaultTagIds);
  return (input: Parameters<typeof addComment>[2]) => addComment(deps, viewer, input, async () => {});
}

/** The count that a post carries, beside the rows that it counts. */
async function countAndRows({ deps: { db } }: Site, postId: string) {
  const post = await db
    .selectFrom('posts')
    .select('comment_count')
    .where('id', '=', postId)
    .executeTakeFirst();
  const rows = await db.selectFrom('comments').select('id').where('post_id', '=', postId).execute();
  return { count: post?.comment_count, rows: rows.length };
}

describeEngines(({ site, siteWithAdmin }) => {
  it('comments are listed newest first, a page at a time, each once', async () => {
    const s = await site();
    const [admin, member] = [await s.admin(), await s.member([], 'lucy')];
    const [postId = ''] = await publish(s, admin, shortPost());
    const add = await commenter(s, member);
    const written: string[] = [];
    for (let i = 0; i < commentsPerPage * 2 + 3; i += 1) {
      // Some at the same moment: the id decides, and nothing is shown twice or left out.
      if (i % 3 === 0) s.wait(1_000);
      written.push((await add({ postId, content: `comment ${i}` })).comment.id);
    }
    const pages = await everyComment(s, member, postId);
    expect(pages.map(page => page.comments.length)).toEqual([commentsPerPage, commentsPerPage, 3]);
    const listed = pages.flatMap(page => page.comments);
    expect(new Set(listed.map(comment => comment.id))).toEqual(new Set(written));
    const keys = listed.map(comment => comment.createdAt);
    expect(keys).toEqual(keys.toSorted().toReversed());
    expect(pages[0]?.commentCount).toBe(written.length);
    expect(listed[0]).toMatchObject({
      authorUsername: 'lucy',
      userId: member.id,
      authorRole: null,
      can: { delete: true },
    });
  });

  it('comments are marked if the author of the post or another admin wrote them, and only while they have the role', async () => {
    const s = await site();
    const [author, other, member] = [await s.admin(), await s.admin(), await s.member()];
    const [postId = ''] = await publish(s, author, shortPost());
    for (const person of [author, other, member]) {
      s.wait(1_000);
      await s.call(person, 'addComment', { postId, content: 'hello' });
    }
    const roles = async () => {
      const { comments } = await s.call(member, 'listComments', { postId });
      return comments.map(({ userId, authorRole }) => [userId, authorRole]);
    };
    expect(await roles()).toEqual([
      [member.id, null],
      [other.id, 'admin'],
      [author.id, 'author'],
    ]);
    await s.call(author, 'setAdmin', { userId: other.id, isAdmin: false });
    expect(await roles()).toContainEqual([other.id, null]);
  });

  it('5. comments are only for approved readers of their post', async () => {
    const [s, admin] = await siteWithAdmin();
    const [open = '', friends = ''] = await publish(
      s,
      admin,
      shortPost('open'),
      shortPost('shut', ['friends']),
    );
    const { post: draft } = await s.call(admin, 'createPost', { ...shortPost('draft'), isDraft: true });
    const people: [Person, Record<string, string>][] = [
      [null, { open: 'unauthenticated', friends: 'unauthenticated', draft: 'unauthenticated' }],
      [
        await s.signUp(),
        { open: 'permission-denied', friends: 'permission-denied', draft: 'permission-denied' },
      ],
      [
        await s.denied(),
        { open: 'permission-denied', friends: 'permission-denied', draft: 'permission-denied' },
      ],
      [await s.member(), { open: 'ok', friends: 'permission-denied', draft: 'not-found' }],
      [await s.member(['friends']), { open: 'ok', friends: 'ok', draft: 'not-found' }],
      [admin, { open: 'ok', friends: 'ok', draft: 'ok' }],
    ];
    const outcome = async (call: Promise<unknown>) => {
      try {
        await call;
        return 'ok';
      } catch (error) {
        return error instanceof AppError ? error.code : String(error);
      }
    };
    for (const [person, expected] of people) {
      for (const [name, postId] of Object.entries({ open, friends, draft: draft.id })) {
        // A denied account has lost its session, and is a visitor then.
        const wanted =
          person !== null && (await s.call(person, 'getViewer', {})).user === null
            ? 'unauthenticated'
            : expected[name];
        expect(await outcome(s.call(person, 'listComments', { postId }))).toBe(wanted);
        expect(await outcome(s.call(person, 'addComment', { postId, content: 'hello' }))).toBe(wanted);
      }
    }
    expect(await countAndRows(s, friends)).toEqual({ count: 2, rows: 2 });
  });

  it('18. comments are deleted by their author or an admin, by no other member or visitor, and only once', async () => {
    const s = await site();
    const [admin, author, other] = [
      await s.admin(),
      await s.member(['friends']),
      await s.member(['friends']),
    ];
    const [postId = ''] = await publish(s, admin, shortPost('shut', ['friends']));
    const add = async (as: Person) =>
      (await s.call(as, 'addComment', { postId, content: 'hello' })).comment.id;
    const [first, second] = [await add(author), await add(author)];
    const outsider = await s.member();
    expect(await refusal(s.call(null, 'deleteComment', { commentId: first }))).toBe('unauthenticated');
    expect(await refusal(s.call(other, 'deleteComment', { commentId: first }))).toBe('permission-denied');
    expect(await refusal(s.call(outsider, 'deleteComment', { commentId: first }))).toBe('permission-denied');
    const { comments } = await s.call(other, 'listComments', { postId });
    expect(comments.map(comment => comment.can.delete)).toEqual([false, false]);
    expect(await s.call(author, 'deleteComment', { commentId: first })).toEqual({ commentCount: 1 });
    expect(await refusal(s.call(author, 'deleteComment', { commentId: first }))).toBe('not-found');
    expect(await s.call(admin, 'deleteComment', { commentId: second })).toEqual({ commentCount: 0 });
    expect(await countAndRows(s, postId)).toEqual({ count: 0, rows: 0 });
  });

  it('comments are deleted by nobody who may not read the post any more', async () => {
    const s = await site();
    const [admin, author] = [await s.admin(), await s.member(['friends'])];
    const [postId = ''] = await publish(s, admin, shortPost('shut', ['friends']));
    const { comment } = await s.call(author, 'addComment', { postId, content: 'hello' });
    await s.deps.db.deleteFrom('approved_tags').where('user_id', '=', author.id).execute();
    expect(await refusal(s.call(author, 'deleteComment', { commentId: comment.id }))).toBe(
      'permission-denied',
    );
    expect(await countAndRows(s, postId)).toEqual({ count: 1, rows: 1 });
  });

  it('comments keep the text as it was written, and refuse text that cannot be stored', async () => {
    const s = await site();
    const [admin, member] = [await s.admin(), await s.member()];
    const [postId = ''] = await publish(s, admin, shortPost());
    const add = (content: string) => s.call(member, 'addComment', { postId, content });
    expect((await add('  <b>one</b>\r\ntwo\rthree &amp; \u202e \n')).comment.content).toBe(
      '<b>one</b>\ntwo\nthree &amp; \u202e',
    );
    for (const empty of ['', ' \n\t ', '\u200b\u00ad'])
      expect(await refusal(add(empty))).toBe('invalid-argument');
    expect(await refusal(add('a\0b'))).toBe('invalid-argument');
    expect(await refusal(add('\ud800'))).toBe('invalid-argument');
    // Counted as people count, in which a syllable of Hindi is one character of several code points.
    const longest = 'क्षि'.repeat(commentMaxCharacters);
    expect((await add(longest)).comment.content).toBe(longest);
    expect(await refusal(add(`${longest}a`))).toBe('invalid-argument');
  });

  it('a comment of one long word is answered as it was written, and stays so when it is edited', async () => {
    const s = await site();
    const [admin, member] = [await s.admin(), await s.member()];
    const [postId = ''] = await publish(s, admin, shortPost());
    for (const word of ['น้ำแข็งที่ก้นแก้วกำลังละลาย', 'ب']) {
      const content = word.repeat(400 / word.length);
      const { comment } = await s.call(member, 'addComment', { postId, content });
      const { comments } = await s.call(member, 'listComments', { postId });
      const shown = comments.find(({ id }) => id === comment.id)?.content;
      expect(shown).toBe(content);
      await s.call(member, 'editComment', { commentId: comment.id, content: `${shown}.`, before: content });
      const stored = s.deps.db.selectFrom('comments').select('content').where('id', '=', comment.id);
      expect(await stored.executeTakeFirst()).toEqual({ content: `${content}.` });
    }
  });

  it('a comment with more than thirty marks on one letter is refused, and one from before is shown with thirty', async () => {
    const s = await site();
    const [admin, member] = [await s.admin(), await s.member()];
    const [postId = ''] = await publish(s, admin, shortPost());
    const marked = (marks: number) => `a${'\u0301'.repeat(marks)}`;
    const add = (content: string) => s.call(member, 'addComment', { postId, content });
    const commentId = (await add(marked(30))).comment.id;
    await expect(add(marked(31))).rejects.toThrow('A comment has more than 30 marks on one letter.');
    for (const word of [marked(31), '\u{1f3fb}'.repeat(31)])
      expect(await refusal(s.call(admin, 'reportComment', { commentId, word }))).toBe('invalid-argument');

    await s.deps.db
      .updateTable('comments')
      .set({ content: marked(40_000) })
      .execute();
    const { comments } = await s.call(member, 'listComments', { postId, threads: true });
    expect(contentOf(comments)).toEqual([marked(30)]);
    expect(contentOf((await s.call(member, 'getOwnComments', {})).comments)).toEqual([marked(30)]);
    await s.call(member, 'editComment', { commentId, content: 'a', before: marked(30) });
    expect(await s.deps.db.selectFrom('comments').select('content').execute()).toEqual([{ content: 'a' }]);
  });

  it('17. comments get author, time and id only from the server', async () => {
    const s = await site();
    const [admin, member] = [await s.admin(), await s.member([], 'lucy')];
    const [postId = ''] = await publish(s, admin, shortPost());
    const input = { postId, content: 'mine' };
    const forged = {
      id: 'chosen',
      userId: admin.id,
      authorUsername: 'mina',
      createdAt: '2001-01-01T00:00:00Z',
    };
    for (const [name, value] of Object.entries(forged)) {
      expect(await refusal(s.call(member, 'addComment', { ...input, [name]: value }))).toBe(
        'invalid-argument',
      );
    }
    const { comment } = await s.call(member, 'addComment', input);
    expect(comment).toMatchObject({ authorUsername: 'lucy' });
    expect(Date.parse(comment.createdAt)).toBe(s.deps.clock());
  });

  it('71. a comment whose request is repeated is made once', async () => {
    const s = await site();
    const [admin, member, other] = [await s.admin(), await s.member(), await s.member()];
    const [postId = '', otherPost = ''] = await publish(s, admin, shortPost(), shortPost());
    const input = { postId, content: 'once', key: 'key-of-a-browser' };
    const answers = await Promise.all(Array.from({ length: 10 }, () => s.call(member, 'addComment', input)));
    expect(new Set(answers.map(answer => answer.comment.id)).size).toBe(1);
    expect(await countAndRows(s, postId)).toEqual({ count: 1, rows: 1 });
    expect(await refusal(s.call(member, 'addComment', { ...input, postId: otherPost }))).toBe(
      'already-exists',
    );
    expect((await s.call(other, 'addComment', input)).commentCount).toBe(2);
  });

  it('a repeated comment is answered with the first one, also when it could no longer be written', async () => {
    const s = await site();
    const [admin, member, other] = [await s.admin(), await s.member(), await s.member()];
    const [postId = ''] = await publish(s, admin, shortPost());
    const { comment: first } = await s.call(other, 'addComment', { postId, content: 'first' });
    const input = { postId, content: 'once', key: 'key-of-a-browser', parentId: first.id };
    const answer = await s.call(member, 'addComment', input);
    await s.call(other, 'deleteComment', { commentId: first.id });
    expect((await s.call(member, 'addComment', input)).comment.id).toBe(answer.comment.id);
    await s.call(admin, 'setCommentsClosed', { postId, isClosed: true });
    await s.call(admin, 'setMuted', { userId: member.id, isMuted: true });
    expect((await s.call(member, 'addComment', input)).comment.id).toBe(answer.comment.id);
  });

  it('comments are signed Unknown User once the account is deleted', async () => {
    const s = await site();
    const [admin, member] = [await s.admin(), await s.member()];
    const [postId = ''] = await publish(s, admin, shortPost());
    await s.call(member, 'addComment', { postId, content: 'hello' });
    await s.deps.db.deleteFrom('users').where('id', '=', member.id).execute();
    const { comments } = await s.call(admin, 'listComments', { postId });
    expect(comments).toMatchObject([{ authorUsername: 'Unknown User', content: 'hello' }]);
  });

  it('61. comments are counted correctly after a hundred at once, two deletions of one, and the deletion of the post meanwhile', async () => {
    const s = await site();
    const [admin, second, member] = [await s.admin(), await s.admin(), await s.member()];
    const [postId = '', doomed = ''] = await publish(s, admin, shortPost(), shortPost());
    const add = await commenter(s, member);
    const added = await Promise.all(
      Array.from({ length: 100 }, (_, i) => add({ postId, content: `comment ${i}` })),
    );
    expect(await countAndRows(s, postId)).toEqual({ count: 100, rows: 100 });
    const commentId = added[50]?.comment.id ?? '';
    const deletions = await Promise.allSettled([
      s.call(admin, 'deleteComment', { commentId }),
      s.call(second, 'deleteComment', { commentId }),
    ]);
    expect(deletions.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(await countAndRows(s, postId)).toEqual({ count: 99, rows: 99 });
    const meanwhile = await Promise.allSettled([
      ...Array.from({ length: 20 }, (_, i) => add({ postId: doomed, content: `${i}` })),
      s.call(admin, 'deletePost', { postId: doomed }),
      ...Array.from({ length: 20 }, (_, i) => add({ postId: doomed, content: `x${i}` })),
    ]);
    const refused = meanwhile.filter(result => result.status === 'rejected');
    for (const { reason } of refused) expect((reason as AppError).code).toBe('not-found');
    expect(await countAndRows(s, doomed)).toEqual({ count: undefined, rows: 0 });
  });

  it('comments stay in order and complete for five thousand', async () => {
    const s = await site();
    const [admin, member] = [await s.admin(), await s.member()];
    const [postId = ''] = await publish(s, admin, shortPost());
    const rows = Array.from({ length: 5_000 }, (_, i) => ({
      id: `comment${i}`,
      post_id: postId,
      user_id: member.id,
      content: `comment ${i}`,
      created_at: 1_000 + Math.floor(i / 7),
    }));
    for (let i = 0; i < rows.length; i += 500) {
      await s.deps.db
        .insertInto('comments')
        .values(rows.slice(i, i + 500))
        .execute();
    }
    const pages = await everyComment(s, member, postId);
    const expected = rows.toSorted((a, b) => b.created_at - a.created_at || (a.id < b.id ? 1 : -1));
    expect(contentOf(pages.flatMap(page => page.comments))).toEqual(expected.map(row => row.content));
  });
});
