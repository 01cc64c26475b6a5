import { expect, it } from 'vitest';
import { describeEngines } from '../support/engines.ts';
import { postOf, wordpressImport } from '../support/wordpress-import.ts';

const { write, run } = wordpressImport();

describeEngines(({ site, siteWithAdmin }) => {
  it('a reply to a reply says which one it answers, if that person wrote several', async () => {
    const [s, admin] = await siteWithAdmin();
    await run(s, [
      {
        id: 1,
        title: 'A',
        content: 'Up.',
        comments: [
          { id: 1, author: 'Lucy', content: 'I would\nrather have taken the train to Whitby and back.' },
          { id: 2, author: 'Lucy', content: 'Or a boat.' },
          { id: 3, author: 'Mina', content: 'No train goes there.', parent: 1 },
          { id: 4, author: 'Lucy', content: 'One does.', parent: 3 },
          { id: 5, author: 'Mina', content: 'Since when?', parent: 4 },
        ],
      },
    ]);
    const { id: postId } = await postOf(s, 1);
    const { comments } = await s.call(admin, 'listComments', { postId, threads: true });
    expect(comments.map(({ parentId, content }) => [parentId !== null, content])).toEqual([
      [false, 'Or a boat.'],
      [false, 'I would\nrather have taken the train to Whitby and back.'],
      [true, 'No train goes there.'],
      [true, 'In reply to Mina (‘No train goes there.’): One does.'],
      [true, 'In reply to Lucy (‘One does.’): Since when?'],
    ]);
  });

  it('an import from WordPress gives visitors nothing that was not public there', async () => {
    const s = await site();
    const items = await run(s, [
      { id: 1, title: 'P', content: 'Private.', status: 'private' },
      { id: 2, title: 'W', content: 'Behind a password.', password: 'open sesame' },
      { id: 3, title: 'D', content: 'Draft.', status: 'draft' },
      { id: 4, title: 'F', content: 'Later.', status: 'future', date: '2099-01-01 00:00:00' },
      { id: 5, title: 'R', content: 'For review.', status: 'pending' },
      { id: 6, title: 'T', content: 'Thrown away.', status: 'trash' },
      { id: 7, title: 'U', content: 'Unknown.', status: 'embargo' },
      {
        id: 8,
        title: 'J',
        content: 'For subscribers.',
        meta: { _jetpack_newsletter_access: 'paid_subscribers' },
      },
      { id: 9, title: 'S', content: 'Open. [members_only]Not open.[/members_only]' },
      { id: 10, title: 'O', content: 'Open.', meta: { _jetpack_newsletter_access: 'everybody' } },
      { id: 11, title: 'A', content: 'Restricted.', meta: { _acme_access: 'gold' } },
    ]);
    const { posts } = await s.call(null, 'getPosts', {});
    expect(posts.map(post => post.title)).toEqual(['O']);
    expect((await s.call(await s.member(['Hills']), 'getPosts', {})).posts).toHaveLength(1);
    expect(items.find(item => item.source === 'posts/6 T')).toMatchObject({ outcome: 'skipped' });
    const tags = Object.fromEntries(items.map(({ source, tags }) => [source, tags]));
    expect(tags).toMatchObject({
      'posts/1': ['private'],
      'posts/2': ['password-protected'],
      'posts/8': ['members'],
      'posts/9': ['members'],
    });
    for (const id of [3, 4, 5, 7, 11]) expect(await postOf(s, id)).toMatchObject({ isDraft: true });
  });

  it('an import from WordPress lets its members sign in with their old passwords, with every kind of hash', async () => {
    const s = await site();
    const hashes = {
      phpass: ['test12345', '$P$9IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0'],
      signed: ['Na101918!', '$wp$2y$10$y6/UfA/WhvVLZK6RxBSJE./L6YpJN8ChGg15a0Pqry/bTGsDuMR1q'],
      oldest: ['password', '5f4dcc3b5aa765d61d8327deb882cf99'],
    };
    const lines = Object.entries(hashes).map(
      ([name, [, hash]], index) =>
        `${index + 2},${name},${name}@Example.com,${hash},Person ${name},subscriber`,
    );
    await write({
      'users.csv': [
        'ID,user_login,user_email,user_pass,display_name,roles',
        '1,mina,mina@example.com,,Mina Harker,administrator',
        ...lines,
        '9,odd,odd@example.com,$argon2id$v=19$x,Odd,subscriber',
        '10,none,none@example.com,,No Role,',
      ].join('\n'),
    });
    const items = await run(
      s,
      [{ id: 1, title: 'One', content: 'Text.', comments: [{ id: 1, author: 'phpass', userId: 2 }] }],
      { users: 'users.csv' },
    );
    expect(items.find(item => item.source === '9')?.notes).toContain(
      'its password is hashed in a way that is not known here',
    );
    for (const [name, [password = '']] of Object.entries(hashes)) {
      const email = `${name}@example.com`;
      const hash = async () =>
        (
          await s.deps.db
            .selectFrom('sign_in_methods')
            .innerJoin('users', 'users.id', 'sign_in_methods.user_id')
            .select('password')
            .where('email', '=', email)
            .executeTakeFirstOrThrow()
        ).password;
      expect(await hash()).toMatch(/^\$/);
      await expect(s.call(null, 'signIn', { email, password: `${password}x` })).rejects.toThrow('Invalid');
      await s.call(null, 'signIn', { email, password });
      expect([name, await hash()]).toEqual([name, expect.not.stringMatching(/^\$/)]);
      await s.call(null, 'signIn', { email, password });
    }
    const people = await s.deps.db
      .selectFrom('users')
      .select(['username', 'status'])
      .orderBy('username')
      .execute();
    expect(people.map(({ username, status }) => `${username} ${status}`)).toEqual([
      'mina approved',
      'none pending',
      'odd approved',
      'oldest approved',
      'phpass approved',
      'signed approved',
    ]);
    const author = await s.deps.db
      .selectFrom('posts')
      .innerJoin('users', 'users.id', 'posts.author_id')
      .select('username')
      .executeTakeFirstOrThrow();
    expect(author.username).toBe('mina');
    // Its author has an account, so no name has to stand with the comment.
    expect(await s.deps.db.selectFrom('comments').select('author_name').execute()).toEqual([
      { author_name: null },
    ]);
  });
});
