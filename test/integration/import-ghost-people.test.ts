import { hash } from 'bcryptjs';
import { expect, it } from 'vitest';
import { describeEngines } from '../support/engines.ts';
import { ghostImport, post, postOf } from '../support/ghost-import.ts';

const { write, run } = ghostImport();

describeEngines(({ site }) => {
  it('an import from Ghost gives visitors nothing that was not public there, and members what they could read', async () => {
    const s = await site();
    await write({
      'members.csv': [
        'id,email,name,subscribed_to_emails,complimentary_plan,stripe_customer_id,created_at,deleted_at,labels,tiers',
        'm1,Free@example.com,Free One,true,false,,2022-01-01T00:00:00.000Z,,,',
        'm2,gold@example.com,Gold One,false,false,cus_1,2022-01-01T00:00:00.000Z,,,"Gold"',
        'm3,gone@example.com,Gone,true,false,,2022-01-01T00:00:00.000Z,2022-02-01T00:00:00.000Z,,',
      ].join('\n'),
    });
    const items = await run(
      s,
      {
        products: [
          { id: 'p1', name: 'Gold', slug: 'gold' },
          { id: 'p2', name: 'Silver', slug: 'silver' },
        ],
        posts_products: [
          { post_id: 'tiers', product_id: 'p1' },
          { post_id: 'tiers', product_id: 'p2' },
          { post_id: 'silver', product_id: 'p2' },
        ],
        posts: [
          post('open', { html: '<p>Open.</p>' }),
          post('members', { html: '<p>M.</p>', visibility: 'members' }),
          post('paid', { html: '<p>P.</p>', visibility: 'paid' }),
          post('tiers', { html: '<p>T.</p>', visibility: 'tiers' }),
          post('silver', { html: '<p>S.</p>', visibility: 'tiers' }),
          post('filter', { html: '<p>F.</p>', visibility: "product:'gold'" }),
          post('sent', { html: '<p>By mail.</p>', status: 'sent' }),
          post('later', { html: '<p>Later.</p>', status: 'scheduled' }),
          post('draft', { html: '<p>Draft.</p>', status: 'draft' }),
          post('gated', {
            html: '<p>Open.</p><!--kg-gated-block:begin nonMember:false--><p>Not.</p><!--kg-gated-block:end-->',
          }),
        ],
      },
      { members: 'members.csv' },
    );
    const tags = Object.fromEntries(
      items.filter(item => item.kind === 'post').map(({ source, tags }) => [source, tags]),
    );
    expect(tags).toEqual({
      'posts/open': [],
      'posts/members': ['members'],
      'posts/paid': ['paid members'],
      'posts/tiers': ['tier Gold or Silver'],
      'posts/silver': ['tier Silver'],
      'posts/filter': ['tier Gold'],
      'posts/sent': ['sent by mail only'],
      'posts/later': undefined,
      'posts/draft': undefined,
      'posts/gated': ['members'],
    });
    const titles = async (email: string | null) => {
      const user =
        email === null
          ? undefined
          : await s.deps.db
              .selectFrom('approved_tags')
              .innerJoin('users', 'users.id', 'approved_tags.user_id')
              .innerJoin('tags', 'tags.id', 'approved_tags.tag_id')
              .select('tags.name')
              .where('users.email', '=', email)
              .execute();
      return (user ?? []).map(tag => tag.name).sort();
    };
    expect(await titles('free@example.com')).toEqual(['members']);
    expect(await titles('gold@example.com')).toEqual(['members', 'paid members', 'tier Gold or Silver']);
    expect((await s.call(null, 'getPosts', {})).posts.map(({ title }) => title)).toEqual(['Post open']);
    const people = await s.deps.db.selectFrom('users').select(['email', 'status']).orderBy('email').execute();
    expect(people.filter(person => person.email.includes('gone'))).toEqual([]);
    // Nobody is written to by an import.
    expect(await s.deps.db.selectFrom('mails').select('kind').execute()).toEqual([]);
    const subscribed = await s.deps.db.selectFrom('subscriptions').select('email').execute();
    expect(subscribed).toEqual([{ email: 'free@example.com' }]);
  });

  it('an import from Ghost brings authors with their passwords and posts, and comments if the export has them', async () => {
    const s = await site();
    const password = await hash('a long password there', 4);
    const items = await run(s, {
      users: [
        {
          id: 'u1',
          name: 'Mina Harker',
          slug: 'mina',
          email: 'mina@example.com',
          password,
          status: 'active',
        },
        {
          id: 'u2',
          name: 'Renfield',
          slug: 'renfield',
          email: 'r@example.com',
          password,
          status: 'inactive',
        },
      ],
      roles: [{ id: 'r1', name: 'Owner' }],
      roles_users: [{ user_id: 'u1', role_id: 'r1' }],
      posts_authors: [{ post_id: '1', author_id: 'u1', sort_order: 0 }],
      members: [{ id: 'm1', email: 'lucy@example.com', name: 'Lucy' }],
      comments: [
        {
          id: 'c1',
          post_id: '1',
          member_id: 'm1',
          status: 'published',
          html: '<p>Well <b>said</b>.</p>',
          created_at: '2022-06-09T00:00:00.000Z',
        },
        { id: 'c2', post_id: '1', member_id: 'm1', status: 'hidden', html: '<p>Not shown.</p>' },
        { id: 'c3', post_id: '1', parent_id: 'c1', status: 'published', html: '<p>Indeed.</p>' },
        { id: 'c4', post_id: '1', parent_id: 'c2', status: 'published', html: '<p>Alone.</p>' },
      ],
      posts: [post('1', { html: '<p>Words.</p>' })],
    });
    expect(items.map(({ source, outcome }) => [source, outcome])).toEqual([
      ['u1', 'created'],
      ['u2', 'created'],
      ['posts/1', 'created'],
    ]);
    await s.call(null, 'signIn', { email: 'mina@example.com', password: 'a long password there' });
    const people = await s.deps.db
      .selectFrom('users')
      .select(['username', 'status'])
      .orderBy('username')
      .execute();
    expect(people).toMatchObject([
      { username: 'mina', status: 'approved' },
      { username: 'renfield', status: 'denied' },
    ]);
    const { id } = await postOf(s, '1');
    const { comments } = await s.call(await s.admin(), 'listComments', { postId: id, threads: true });
    const [said] = comments;
    expect(comments).toMatchObject([
      { authorUsername: 'Lucy', content: 'Well said.', parentId: null },
      { content: 'Indeed.', parentId: said?.id },
      { content: 'Alone.', parentId: null },
    ]);
  });
});
