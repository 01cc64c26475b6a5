import { readFile } from 'node:fs/promises';
import PostalMime from 'postal-mime';
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { pageExcerpt } from '../../contract/constants.ts';
import type { Input } from '../../contract/operations.ts';
import { cutAtWord, oneLine } from '../../contract/text.ts';
import { prepareNext } from '../../server/files/make-variants.ts';
import { deliverDue } from '../../server/mail/deliver.ts';
import { describeEngines } from '../support/engines.ts';
import { essay, publish, shortPost } from '../support/factories.ts';
import { iphoneVideo } from '../support/made-videos.ts';
import { subscribe, withSmtp } from '../support/mailing-site.ts';
import { recordQueries } from '../support/queries.ts';
import type { Site } from '../support/site.ts';
import { silence } from '../support/sounds.ts';
import { upload } from '../support/storage.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { mp3Frame } from '../support/videos.ts';

const { at } = temporaryFolder();

const picture = async (background: string) =>
  await sharp({ create: { width: 40, height: 30, channels: 3, background } })
    .png()
    .toBuffer();

/** A friend who likes to get whole posts. */
async function scene(s: Site) {
  const admin = await s.admin();
  const lucy = await s.member(['friends'], 'lucy');
  await s.call(lucy, 'setSubscription', { subscribed: true, isWhole: true });
  const { smtp, deps } = await withSmtp(s);
  const file = async (name: string, body: Buffer | string) => (await upload(s, admin, name, body)).url;
  const next = async () => {
    await deliverDue(deps);
    const mail = smtp.mails.pop();
    return mail && { ...(await PostalMime.parse(mail.source)), source: mail.source };
  };
  return { admin, lucy, deps, file, next };
}

describeEngines(({ site, engine }) => {
  it('a post is not mailed to somebody who loses the right while its pictures are read', async () => {
    const s = await site();
    const { admin, lucy, deps, file, next } = await scene(s);
    const red = await file('red.png', await picture('red'));
    await publish(s, admin, essay({ content: `![](${red})`, tags: ['friends'] }));
    const { read } = deps.files;
    deps.files = {
      ...deps.files,
      read: async function* (key, range) {
        await s.deps.db.deleteFrom('approved_tags').where('user_id', '=', lucy.id).execute();
        yield* read(key, range);
      },
    };
    expect(await next()).toBeUndefined();
    const [mail] = await s.deps.db.selectFrom('mails').select(['state', 'error']).execute();
    expect(mail).toMatchObject({ state: 'dropped', error: 'The post is not shared with this account.' });
  });

  it('a mail about a post with a recording or a video says so, whether it is attached or in the text', async () => {
    const s = await site();
    const { admin, file, next } = await scene(s);
    const [bells, sea] = [await file('bells.wav', silence), await file('sea.wav', silence)];
    const attachments = [{ url: bells, description: null }];
    await publish(s, admin, { ...shortPost('The bells of Porto.'), attachments });
    const one = await next();
    expect(one?.text).toContain('With a recording, which the page plays.');
    expect(one?.text).toContain('Open the post');
    await publish(s, admin, { ...essay({ content: `![](${sea})` }), attachments });
    expect((await next())?.text).toContain('With 2 recordings, which the page plays.');
    await publish(s, admin, shortPost('Words alone.'));
    const words = await next();
    expect(words?.text).not.toContain('which the page plays');
    expect(words?.text).toContain('Read it');
  });

  // How a mail is written does not depend on the database.
  if (engine === 'postgres') return;

  const long = 'They come from the hills. '.repeat(9).trim();
  it.each<[string, Input<'createPost'>, string]>([
    [
      'one paragraph',
      essay({ description: 'They come.', content: 'They come. They *go*.' }),
      'They come. They go.',
    ],
    ['its only sentence', essay({ description: 'They come.', content: 'They come.' }), 'They come.'],
    [
      'two paragraphs',
      essay({ description: 'They come.', content: '*They* come.\n\nThey go.' }),
      'They come. They go.',
    ],
    ['a long beginning', essay({ description: cutAtWord(long, pageExcerpt), content: long }), long],
    ['its title', essay({ description: 'On rivers', content: 'They come.' }), 'They come.'],
    [
      'other words',
      essay({ description: 'Then', content: 'They come. Then they go.' }),
      'Then They come. Then they go.',
    ],
    ['half a word', essay({ description: 'The', content: 'They come.' }), 'The They come.'],
    ['no title', shortPost('They come.\n\nThey go.'), 'They come. They go.'],
  ])('a mail says once how a post begins, in all its forms: a post with %s', async (_, post, words) => {
    const s = await site();
    const { admin, next } = await scene(s);
    await subscribe(s, await s.member([], 'nora'));
    await publish(s, admin, post);
    const heading = post.type === 'essay' ? post.title : 'New on Coterie';
    for (const mail of [await next(), await next()])
      for (const form of [`Coterie ${mail?.text}`, mail?.html?.replaceAll(/<[^>]*>/g, '')])
        expect(oneLine(form ?? '')).toContain(`Coterie ${heading} ${words} Read it`);
  });

  it('a mailed post holds its pictures itself, shows a video as a link, and makes addresses absolute', async () => {
    const s = await site();
    const { admin, file, next } = await scene(s);
    const [red, blue, green, words] = [
      await file('red.png', await picture('red')),
      await file('blue.png', await picture('blue')),
      await file('green.png', await picture('green')),
      await file('words.bin', 'words'),
    ];
    const content = `Some **bold** words.\n\n![The river](${red})\n\n[the notes](${words}) [a tag](/tag/x)`;
    const [postId = ''] = await publish(s, admin, {
      ...essay({ content, tags: ['friends'] }),
      attachments: [
        { url: blue, description: 'The sea' },
        { url: green, description: 'In May', alt: 'A meadow' },
        { url: words, description: 'Notes' },
      ],
    });
    const mail = await next();
    const html = mail?.html ?? '';
    expect(html).toContain('Some <strong>bold</strong> words.');
    const cids = [...html.matchAll(/<img src="cid:([^"]+)" alt="([^"]*)"/g)].map(([, cid, alt]) => [
      cid,
      alt,
    ]);
    expect(cids.map(([, alt]) => alt)).toEqual(['The river', 'The sea', 'A meadow']);
    expect(html).toMatch(/alt="A meadow"[^>]*><br>In May</);
    expect(mail?.attachments.map(({ contentId }) => contentId)).toEqual(cids.map(([cid]) => `<${cid}>`));
    expect(mail?.attachments.map(({ mimeType, disposition }) => [mimeType, disposition])).toEqual([
      ['image/png', 'inline'],
      ['image/png', 'inline'],
      ['image/png', 'inline'],
    ]);
    const page = `${s.config.publicUrl}/post/${postId}`;
    expect(html).toContain(`<a href="${page}">the notes</a>`);
    expect(html).toContain(`<a href="${s.config.publicUrl}/tag/x"`);
    expect(html).not.toMatch(/="\/|\/files\//);
    expect(mail?.text).toContain('Some bold words.');
    expect(html).toContain('only for those who may read “friends”');
  });

  it('a mailed post shows the poster of a prepared video as a link to the page', async () => {
    const s = await site();
    const { admin, file, next } = await scene(s);
    const video = await file('IMG_2041.MOV', await readFile(iphoneVideo(at('video.mov'))));
    expect(await prepareNext(s.deps)).toBe(true);
    const attachments = [{ url: video, description: null }];
    const post = { ...essay({ content: `[Video: thaw](${video})`, tags: ['friends'] }), attachments };
    const [postId = ''] = await publish(s, admin, post);
    const mail = await next();
    const page = `${s.config.publicUrl}/post/${postId}`;
    const posters = mail?.html?.match(new RegExp(`<a href="${page}"><img src="cid:`, 'g'));
    expect([posters?.length, mail?.attachments.map(({ mimeType }) => mimeType)]).toEqual([2, ['image/jpeg']]);
    expect(mail?.html).not.toMatch(/<video|<source|\/files\//);
  });

  it('a sound in a text is a link to the page in a mail, and a player with the whole address in the feed', async () => {
    const s = await site();
    const { admin, file, next } = await scene(s);
    const sound = await file('rain.mp3', mp3Frame);
    const [postId = ''] = await publish(s, admin, essay({ content: `![The rain](${sound})` }));
    const { publicUrl } = s.config;
    const mail = await next();
    expect(mail?.html).toContain(`<a href="${publicUrl}/post/${postId}">Download the sound The rain</a>`);
    expect(mail?.html).not.toMatch(/<\/?audio|\/files\//);
    const feed = await (await s.request('/feed.xml')).text();
    expect(feed).toContain(`&lt;audio src=&quot;${publicUrl}${sound}&quot; controls`);
  });

  it('a card for a link is a plain link in a mail and in the feed, without its picture', async () => {
    const s = await site();
    const { admin, file, next } = await scene(s);
    const red = await file('red.png', await picture('red'));
    await publish(s, admin, essay({ content: `[![](${red}) On rain](https://example.org/ "What falls.")` }));
    const mail = await next();
    const link = '<a href="https://example.org/" rel="noopener noreferrer">On rain</a><br>What falls.';
    expect(mail?.html).toContain(`<p>${link}</p>`);
    expect(mail?.attachments).toEqual([]);
    const feed = await (await s.request('/feed.xml')).text();
    expect(feed.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"')).toContain(
      `<p>${link}</p></div>`,
    );
  });

  it('code in a mailed post wraps, a wide table scrolls, and boxes of a task list are characters', async () => {
    const s = await site();
    const { admin, next } = await scene(s);
    const blocks = ['    let x = 1;', '| a | b |\n| - | -: |\n| 1 | 2 |', '- [ ] is checked\n- [x] two'];
    await publish(s, admin, essay({ content: blocks.join('\n\n') }));
    const html = (await next())?.html ?? '';
    expect(html).toMatch(/<pre [^>]*style="white-space:pre-wrap;[^>]*><code>let x = 1;/);
    expect(html).toMatch(/class="table-scroll"[^>]* style="overflow-x:auto;[^>]*><table>/);
    expect(html).toMatch(/<td align="right" style="padding:[^>]*>2<\/td>/);
    expect(html).toMatch(/<li [^>]*style="list-style:none">☐ is checked<\/li>/);
    expect(html).toMatch(/<li [^>]*style="list-style:none">☑ two<\/li>/);
    expect(html).not.toContain('<input');
    expect(html).toContain('overflow-wrap:anywhere');
  });

  it('a mailed post leaves out the pictures that are too large for a mail', async () => {
    const s = await site();
    const { admin, file, next } = await scene(s);
    const noise = { create: { width: 1_400, height: 1_400, channels: 3 as const, background: 'red' } };
    const large = await sharp({
      ...noise,
      create: { ...noise.create, noise: { type: 'gaussian', mean: 128, sigma: 60 } },
    })
      .png()
      .toBuffer();
    await publish(s, admin, essay({ content: `![The sky](${await file('large.png', large)})` }));
    const mail = await next();
    expect(mail?.attachments).toEqual([]);
    expect(mail?.html).toContain('<em>Picture: The sky</em>');
  });

  it('the words of a picture that is not attached are no tags in a mail', async () => {
    const s = await site();
    const { admin, next } = await scene(s);
    const words = '</em><form action=https://evil.example/><img src=https://evil.example/t.gif>';
    await publish(s, admin, essay({ content: `![${words}](/files/${'A'.repeat(16)}/x.png)` }));
    const mail = await next();
    expect(mail?.html).toContain('<em>Picture: &lt;/em&gt;&lt;form action=https://evil.example/&gt;&lt;img');
    expect(mail?.html).not.toMatch(/<form|evil\.example\/t\.gif>/);
  });

  it('a mail takes as many queries for a text that names many files of others as for one', async () => {
    const s = await site();
    const { admin, deps, next } = await scene(s);
    const { plugin, queries } = recordQueries();
    deps.db = deps.db.withPlugin(plugin);
    const queriesFor = async (files: number) => {
      const named = Array.from({ length: files }, (_, at) => `/files/${String(at).padStart(16, 'A')}`);
      await publish(s, admin, essay({ content: named.join(' ') }));
      queries.length = 0;
      expect((await next())?.html).toContain('AAAA');
      return queries.length;
    };
    const ofOne = await queriesFor(1);
    expect(await queriesFor(200)).toBe(ofOne);
  });
});
