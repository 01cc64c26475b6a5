import { expect, it } from 'vitest';
import { examine } from '../../server/cli/examine.ts';
import { ghostSource } from '../../server/moving/import/ghost/source.ts';
import { describeSqlite } from '../support/engines.ts';
import { ghostImport, post, postOf } from '../support/ghost-import.ts';
import { png } from '../support/png.ts';
import { mp3Frame } from '../support/videos.ts';

const { at, write, run } = ghostImport();

const bookmark =
  '<figure class="kg-card kg-bookmark-card"><a class="kg-bookmark-container" href="https://h.example/hills"><div class="kg-bookmark-content"><div class="kg-bookmark-title">Hills</div><div class="kg-bookmark-description">All of them.</div><div class="kg-bookmark-metadata"><span>Somebody</span></div></div><div class="kg-bookmark-thumbnail"><img src="https://h.example/t.png"></div></a></figure>';

describeSqlite(({ site }) => {
  it('a Ghost site brings posts with their cards, pictures, tags and addresses', async () => {
    const s = await site();
    await write({
      'content/images/2022/river.png': png,
      'content/media/2022/talk.mp3': mp3Frame,
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

  it('an import from Ghost refuses a file that is no export', async () => {
    await write({ 'a.json': '{"posts": []}', 'b.json': '{"db": [', 'c.json': 'no' });
    await expect(ghostSource({ file: at('a.json') })).rejects.toThrow('no export of Ghost');
    for (const name of ['b.json', 'c.json'])
      await expect(ghostSource({ file: at(name) })).rejects.toThrow('not whole JSON');
    await expect(ghostSource({ file: at('none.json') })).rejects.toThrow('There is no file');
  });
});
