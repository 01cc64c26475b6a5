import { hash } from 'bcryptjs';
import { expect, it } from 'vitest';
import { examine } from '../../server/cli/examine.ts';
import { ghostSource } from '../../server/import/ghost/source.ts';
import type { ImportedItem } from '../../server/import/report.ts';
import { runImport } from '../../server/import/run.ts';
import { describeEngines } from '../engines.ts';
import type { Site } from '../site.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const { at, write } = temporaryFolder();

type Row = Record<string, unknown>;

/** An export as Ghost 5 writes it, with these tables. */
const exportOf = (tables: Record<string, Row[]>) =>
  JSON.stringify({
    db: [
      {
        meta: { exported_on: 1_700_000_000_000, version: '5.80.0' },
        data: { settings: [{ key: 'title', value: 'Walks' }], ...tables },
      },
    ],
  });

const post = (id: string, fields: Row): Row => ({
  id,
  title: `Post ${id}`,
  slug: `post-${id}`,
  type: 'post',
  status: 'published',
  visibility: 'public',
  published_at: '2022-06-08T07:15:28.000Z',
  ...fields,
});

async function run(site: Site, tables: Record<string, Row[]>, options: { members?: string } = {}) {
  await write({ 'ghost.json': exportOf(tables), 'content/images/2022/none.txt': '' });
  const source = await ghostSource({
    file: at('ghost.json'),
    images: at('content'),
    members: options.members && at(options.members),
  });
  const items: ImportedItem[] = [];
  for await (const item of runImport(site.deps, source, { authorId: null, isDryRun: false }))
    items.push(item);
  return items;
}

async function postOf(site: Site, id: string) {
  const { target_id } = await site.deps.db
    .selectFrom('imported')
    .select('target_id')
    .where('source', '=', `ghost:Walks/posts/${id}`)
    .executeTakeFirstOrThrow();
  return (await site.call(await site.admin(), 'getPost', { postId: target_id, withContent: true })).post;
}

const bookmark =
  '<figure class="kg-card kg-bookmark-card"><a class="kg-bookmark-container" href="https://h.example/hills"><div class="kg-bookmark-content"><div class="kg-bookmark-title">Hills</div><div class="kg-bookmark-description">All of them.</div><div class="kg-bookmark-metadata"><span>Somebody</span></div></div><div class="kg-bookmark-thumbnail"><img src="https://h.example/t.png"></div></a></figure>';

describeEngines('a Ghost site', ({ site }) => {
  it('brings posts with their cards, pictures, tags and addresses', async () => {
    const s = await site();
    await write({
      'content/images/2022/river.png': png,
      'content/media/2022/talk.mp3': Buffer.from('ID3\x04'),
    });
    const items = await run(s, {
      tags: [
        { id: 't1', name: 'Hills' },
        { id: 't2', name: '#hidden', visibility: 'internal' },
      ],
      posts_tags: [
        { post_id: '1', tag_id: 't1', sort_order: 1 },
        { post_id: '1', tag_id: 't2', sort_order: 0 },
      ],
      posts_meta: [{ post_id: '1', feature_image_alt: 'A river', feature_image_caption: 'By <b>me</b>' }],
      posts: [
        post('1', {
          custom_excerpt: 'Up & down.',
          feature_image: '__GHOST_URL__/content/images/size/w600/2022/river.png',
          html: [
            '<p>Up <a href="__GHOST_URL__/post-2/">there</a>.</p>',
            bookmark,
            '<div class="kg-card kg-callout-card"><div class="kg-callout-emoji">💡</div><div class="kg-callout-text">Mind <b>this</b>.</div></div>',
            '<div class="kg-card kg-audio-card"><img class="kg-audio-thumbnail"><div class="kg-audio-player-container"><audio src="__GHOST_URL__/content/media/2022/talk.mp3"></audio><div class="kg-audio-title">A talk</div><button>1x</button></div></div>',
            '<div class="kg-card kg-toggle-card"><div class="kg-toggle-heading"><h4 class="kg-toggle-heading-text">More</h4><button></button></div><div class="kg-toggle-content"><p>Inside.</p></div></div>',
            '<div class="kg-card kg-signup-card"><h2>Subscribe!</h2></div>',
          ].join(''),
        }),
        post('2', {
          html: null,
          lexical: JSON.stringify({
            root: {
              type: 'root',
              children: [
                { type: 'heading', tag: 'h2', children: [{ type: 'text', text: 'On <hills>', format: 0 }] },
                {
                  type: 'paragraph',
                  children: [
                    { type: 'text', text: 'Bold ', format: 1 },
                    {
                      type: 'link',
                      url: 'https://h.example/',
                      children: [{ type: 'text', text: 'link', format: 2 }],
                    },
                  ],
                },
                {
                  type: 'list',
                  listType: 'bullet',
                  children: [{ type: 'listitem', children: [{ type: 'text', text: 'one' }] }],
                },
                {
                  type: 'image',
                  src: '__GHOST_URL__/content/images/2022/river.png',
                  alt: 'R',
                  caption: 'Wet',
                },
                { type: 'codeblock', language: 'js', code: 'a < b' },
                { type: 'markdown', markdown: '| a |\n| - |\n| *b* |' },
                { type: 'signup', header: 'Subscribe!' },
              ],
            },
          }),
        }),
        post('3', {
          mobiledoc: JSON.stringify({
            version: '0.3.1',
            atoms: [['soft-return', '', {}]],
            cards: [
              ['image', { src: '__GHOST_URL__/content/images/2022/river.png', alt: 'M' }],
              ['hr', {}],
            ],
            markups: [['strong'], ['a', ['href', 'https://h.example/']]],
            sections: [
              [1, 'h3', [[0, [], 0, 'Old']]],
              [
                1,
                'p',
                [
                  [0, [0], 1, 'bold'],
                  [0, [], 0, ' '],
                  [0, [1], 1, 'link'],
                  [1, [], 0, 0],
                  [0, [], 0, 'next'],
                ],
              ],
              [10, 0],
              [10, 1],
              [3, 'ol', [[[0, [], 0, 'one']], [[0, [], 0, 'two']]]],
            ],
          }),
        }),
        post('4', { html: '', lexical: '{' }),
        post('5', { html: '', title: 'Title only', type: 'page' }),
      ],
    });
    expect(items.map(({ source, outcome }) => [source, outcome])).toEqual([
      ['posts/1', 'created'],
      ['posts/2', 'created'],
      ['posts/3', 'created'],
      ['posts/4', 'skipped'],
      ['posts/5', 'created'],
    ]);
    const [one, two, three] = [await postOf(s, '1'), await postOf(s, '2'), await postOf(s, '3')];
    expect(one).toMatchObject({
      tags: ['Hills'],
      description: 'Up & down.',
      publishedAt: '2022-06-08T07:15:28.000Z',
    });
    const file = '\\(/files/[\\w-]+(?:/talk\\.mp3)?\\)';
    expect(one.content).toMatch(
      new RegExp(
        [
          `!\\[A river\\]${file}`,
          '\\*By __me__\\*',
          `Up \\[there\\]\\(/post/${two.id}\\)\\.`,
          '> \\[Hills\\]\\(https://h\\.example/hills\\)\n>\n> All of them\\.',
          '> 💡 Mind \\*\\*this\\*\\*\\.',
          `\\[Audio: A talk\\]${file}`,
          '<details>\n<summary>More</summary>',
          'Inside\\.',
          '</details>',
        ].join('\n\n'),
      ),
    );
    expect(one.content).not.toContain('Subscribe');
    expect(two.content).toMatch(
      /^## On \\<hills>\n\n\*\*Bold\*\* \[\*link\*\]\(https:\/\/h\.example\/\)\n\n- one\n\n!\[R\]\(\/files\/[\w-]+\)\n\n\*Wet\*\n\n```js\na < b\n```\n\n\| a \|\n\| - \|\n\| \*b\* \|$/,
    );
    expect(three.content).toMatch(
      /^### Old\n\n\*\*bold\*\* \[link\]\(https:\/\/h\.example\/\)\\\nnext\n\n!\[M\]\(\/files\/[\w-]+\)\n\n---\n\n1\. one\n2\. two$/,
    );
    expect((await s.request('/post-2/')).headers.get('location')).toBe(`/post/${two.id}`);
    expect(await examine(s.deps)).toEqual([]);
  });

  it('opens nothing that was not open there, and to members what they could read', async () => {
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

  it('brings those who wrote there with their passwords and posts, and comments where the export has them', async () => {
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
    const { comments } = await s.call(await s.admin(), 'listComments', { postId: id });
    expect(comments).toMatchObject([{ authorUsername: 'Lucy', content: 'Well said.' }]);
  });

  it('refuses what is no export', async () => {
    await write({ 'a.json': '{"posts": []}', 'b.json': '{"db": [', 'c.json': 'no' });
    await expect(ghostSource({ file: at('a.json') })).rejects.toThrow('no export of Ghost');
    for (const name of ['b.json', 'c.json'])
      await expect(ghostSource({ file: at(name) })).rejects.toThrow('not whole JSON');
    await expect(ghostSource({ file: at('none.json') })).rejects.toThrow('There is no file');
  });
});
