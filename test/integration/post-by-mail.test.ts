import { expect, it, vi } from 'vitest';
import { maxMailBytes } from '../../server/incoming-mail/receive.ts';
import { describeEngines } from '../support/engines.ts';
import { hugePicture } from '../support/pictures.ts';
import { postByMail } from '../support/post-by-mail.ts';

describeEngines(({ site, engine }) => {
  it('a mail to the address of an author becomes one draft with its photos, and a post if they chose so', async () => {
    const s = await site();
    const { lucy, make, send, posts } = await postByMail(s);
    const address = await make();
    expect(address).toMatch(/^reply\+[0-9a-f]{32}@blog\.example$/);
    const { picture } = await hugePicture();
    const mail = `--x
Content-Type: text/plain; charset=utf-8

# Hills
> They come from the hills.

-- 
Lucy
--x
Content-Type: image/png
Content-Disposition: attachment; filename="river.png"
Content-Transfer-Encoding: base64

${picture.toString('base64')}
--x
Content-Type: application/pgp-signature; name="signature.asc"

x
--x--`;
    const type = { 'Content-Type': 'multipart/mixed; boundary="x"' };
    for (const _ of [1, 2]) expect(await send(address, type, mail)).toBe('post');
    const [draft, ...others] = await posts();
    expect(others).toEqual([]);
    expect(draft).toMatchObject({ title: 'On rivers', isDraft: true, type: 'essay' });
    const { post } = await s.call(lucy, 'getPost', { postId: draft?.id ?? '' });
    expect(post.content).toBe('# Hills\n> They come from the hills.');
    expect(post.attachments).toMatchObject([{ name: 'river.png', type: 'image/png' }]);
    const second = await make(true);
    expect(await send(address, { 'Message-ID': '<2@phone.example>' })).toBe('ignored');
    // Of the same moment, either could be listed first.
    s.wait(1_000);
    expect(await send(second, { 'Message-ID': '<3@phone.example>', Subject: '' }, 'A short one.')).toBe(
      'post',
    );
    expect(await posts()).toMatchObject([{ type: 'short', isDraft: false }, { isDraft: true }]);
  });

  it('a mail that comes again after its post was deleted makes none', async () => {
    const s = await site();
    const { lucy, make, send, posts } = await postByMail(s);
    const address = await make(true);
    expect(await send(address, {})).toBe('post');
    for (const { id } of await posts()) await s.call(lucy, 'deletePost', { postId: id });
    expect(await send(address, {})).toBe('post');
    expect(await posts()).toEqual([]);
  });

  it('a mail that cannot become a post is answered once with a sentence', async () => {
    const s = await site();
    const { admin, lucy, make, send, posts, told } = await postByMail(s);
    const address = await make();
    const long = { Subject: '' };
    for (const _ of [1, 2]) expect(await send(address, long, 'word '.repeat(100))).toBe('refused');
    const [mail, ...others] = await told();
    expect(others).toEqual([]);
    expect(mail?.to).toBe('lucy@example.com');
    expect(mail?.text).toContain('Your post was not added');
    expect(mail?.text).toContain('Please give it a subject.');
    const large = { 'Message-ID': '<2@phone.example>' };
    expect(await send(address, large, 'x'.repeat(maxMailBytes))).toBe('refused');
    expect((await told())[0]?.text).toContain('larger than 25 MB');
    const broken = `--x
Content-Type: image/png; name="river.png"
Content-Transfer-Encoding: base64

${Buffer.from('\x89PNG\r\n\x1a\nbroken', 'latin1').toString('base64')}
--x--`;
    const type = { 'Content-Type': 'multipart/mixed; boundary="x"', 'Message-ID': '<3@phone.example>' };
    expect(await send(address, type, broken)).toBe('refused');
    expect((await told())[0]?.text).toContain('river.png: ');
    await s.call(admin, 'setAuthor', { userId: lucy.id, isAuthor: false });
    expect(await send(address, { 'Message-ID': '<4@phone.example>' })).toBe('refused');
    expect((await told())[0]?.text).toContain('Your post was not added');
    await s.call(admin, 'setAuthor', { userId: lucy.id, isAuthor: true });
    expect(await posts()).toEqual([]);
    const next = await make();
    let last = 'post';
    for (let number = 10; last === 'post' && number < 100; number += 1)
      last = await send(next, { 'Message-ID': `<${number}@phone.example>` });
    expect(last).toBe('refused');
  });

  it('a mail with too long a text is refused for its length before it is searched for quoted links', async () => {
    const s = await site();
    const { make, send, told } = await postByMail(s);
    const address = await make();
    const quoted = 'https://blog.example%252525252funsubscribe%25253Ftoken%3dx.y';
    const filler = `${'%25'.repeat(300)}\n`;
    expect(await send(address, {}, `${filler.repeat(10)}${quoted}`)).toBe('refused');
    expect((await told())[0]?.text).toContain('still quotes one of ours');
    const again = { 'Message-ID': '<2@phone.example>' };
    expect(await send(address, again, `${filler.repeat(1_200)}${quoted}`)).toBe('refused');
    expect((await told())[0]?.text).toContain('longer than 1,000,000 characters');
  });

  it('a mail without words and one that is tried again use up none of the posts of an hour', async () => {
    const s = await site();
    const { make, send, posts } = await postByMail(s);
    const address = await make();
    const file = '--x\nContent-Type: application/pdf; name="map.pdf"\n\n%PDF-1.4\nA map\n--x--';
    const type = { 'Content-Type': 'multipart/mixed; boundary="x"' };
    const put = vi.spyOn(s.deps.files, 'put').mockRejectedValue(new Error('by accident'));
    for (let number = 0; number < 25; number += 1) {
      const empty = { 'Message-ID': `<empty-${number}@phone.example>`, Subject: '' };
      expect(await send(address, empty, '')).toBe('refused');
      await expect(send(address, type, file)).rejects.toThrow('by accident');
    }
    put.mockRestore();
    expect(await send(address, type, file)).toBe('post');
    expect(await posts()).toHaveLength(1);
  });

  // How a mail is read does not depend on the database.
  if (engine === 'postgres') return;

  it('a mail of photos without a subject and a text becomes a post of photos', async () => {
    const s = await site();
    const { lucy, make, send, posts } = await postByMail(s);
    const { picture } = await hugePicture();
    const mail = `--x
Content-Type: text/plain; charset=utf-8


--x
Content-Type: image/png; name="river.png"
Content-Transfer-Encoding: base64

${picture.toString('base64')}
--x--`;
    const type = { 'Content-Type': 'multipart/mixed; boundary="x"', Subject: '' };
    expect(await send(await make(true), type, mail)).toBe('post');
    const [made] = await posts();
    const { post } = await s.call(lucy, 'getPost', { postId: made?.id ?? '' });
    expect(post).toMatchObject({ type: 'short', attachments: [] });
    expect(post.content).toMatch(/^!\[\]\(\/files\/[\w-]{16}\/river\.png\)$/);
  });

  it('a paragraph that a program sends as one line is published whole', async () => {
    const s = await site();
    const { lucy, make, send, posts } = await postByMail(s);
    const text = `${'They come from the hills. '.repeat(200)}They end in the sea.`;
    expect(await send(await make(true), {}, text)).toBe('post');
    const [made] = await posts();
    const { post } = await s.call(lucy, 'getPost', { postId: made?.id ?? '' });
    expect(post.content).toBe(text);
  });

  it('two mails without words and without an id of their own are two posts', async () => {
    const s = await site();
    const { make, send, posts } = await postByMail(s);
    const address = await make();
    for (const Subject of ['One', 'One', 'Two'])
      expect(await send(address, { 'Message-ID': '', Subject }, '')).toBe('post');
    expect(await posts()).toHaveLength(2);
  });

  it.each([
    [
      'a first paragraph',
      'They come\nfrom the hills.\n\nThen *rain*.',
      'They come from the hills.',
      'Then *rain*.',
    ],
    ['Markdown', '# Hills\n> *They* come.\n\nThen rain.', 'Hills They come.', undefined],
    ['one paragraph', 'They come. They go.', 'They come.', undefined],
    ['a link', 'See https://hills.example\n\nThen rain.', 'See https://hills.example Then rain.', undefined],
    ['a picture', '![](https://hills.example/a.png)', 'On rivers', undefined],
  ])('an essay by mail begins with its description once: %s', async (_, text, description, content) => {
    const s = await site();
    const { lucy, make, send, posts } = await postByMail(s);
    expect(await send(await make(), {}, text)).toBe('post');
    const [made] = await posts();
    const { post } = await s.call(lucy, 'getPost', { postId: made?.id ?? '' });
    expect(post).toMatchObject({ description, content: content ?? text });
  });

  it('all files of a mail are attached, but not what its program adds', async () => {
    const s = await site();
    const { lucy, make, send, posts } = await postByMail(s);
    const { picture } = await hugePicture();
    const image = picture.toString('base64');
    const part = (headers: string, body: string) => `--x\n${headers}\n\n${body}\n`;
    const inline = (id: string) =>
      `Content-Type: image/png; name="${id}.png"\nContent-ID: <${id}>\nContent-Transfer-Encoding: base64`;
    const mail = `${part(
      'Content-Type: text/html; charset=utf-8',
      '<p>They come. <img src="cid:photo"></p><div class="gmail_signature">Lucy <img src="cid:logo"></div>',
    )}${part(inline('photo'), image)}${part(inline('logo'), image)}${part(
      'Content-Type: application/octet-stream; name="river.png"\nContent-Transfer-Encoding: base64',
      image,
    )}${part('Content-Type: application/pdf; name="map.pdf"', '%PDF-1.4\nA map')}${part(
      'Content-Type: text/plain; name="notes.txt"\nContent-Disposition: attachment',
      'Notes',
    )}${part('Content-Type: application/pgp-signature; name="signature.asc"', 'x')}--x--`;
    expect(await send(await make(), { 'Content-Type': 'multipart/related; boundary="x"' }, mail)).toBe(
      'post',
    );
    const [made] = await posts();
    const { post } = await s.call(lucy, 'getPost', { postId: made?.id ?? '' });
    expect(post.attachments.map(({ name, type }) => [name, type])).toEqual([
      ['photo.png', 'image/png'],
      ['river.png', 'image/png'],
      ['map.pdf', 'application/pdf'],
      ['notes.txt', 'text/plain'],
    ]);
  });

  it('a mail whose sender is another is not parsed, and one that cannot be read is answered', async () => {
    const s = await site();
    const { make, send, told } = await postByMail(s);
    const address = await make();
    const lines = '\n'.repeat(1_000_000);
    expect(await send(address, { From: 'Mallory <mallory@example.com>' }, lines)).toBe('ignored');
    expect(await send(address, {}, lines)).toBe('refused');
    expect((await told())[0]?.text).toContain('could not be read');
  });

  it.each<[string, Record<string, string>]>([
    ['of another sender', { From: 'Mallory <mallory@example.com>' }],
    ['forged', { 'Authentication-Results': 'mx.blog.example; dmarc=fail' }],
    ['of a program', { 'Auto-Submitted': 'auto-generated' }],
  ])('a mail to the address for posts is ignored without a word: %s', async (_, fields) => {
    const s = await site();
    const { make, send, posts, told } = await postByMail(s);
    expect(await send(await make(true), fields)).toBe('ignored');
    expect(await told()).toEqual([]);
    expect(await posts()).toEqual([]);
  });

  it.each<[string, Record<string, string>]>([
    ['an answer', { 'In-Reply-To': '<mina@example.com>' }],
    ['an answer by its subject', { Subject: 'Re: On rivers' }],
    ['to a friend, too', { Cc: 'Mina <mina@example.com>' }],
    ['to a group, too', { Cc: 'Friends: mina@example.com, jonathan@example.com;' }],
    ['with a forwarded mail', { 'Content-Type': 'message/rfc822' }],
  ])('a mail of a correspondence becomes a draft, whatever its author chose: %s', async (_, fields) => {
    const s = await site();
    const { make, send, posts } = await postByMail(s);
    expect(await send(await make(true), fields, 'Subject: Ours\n\nSecret.')).toBe('post');
    expect(await posts()).toMatchObject([{ isDraft: true }]);
  });

  it('a mail with a copy to its author is published', async () => {
    const s = await site();
    const { make, send, posts } = await postByMail(s);
    expect(await send(await make(true), { Cc: 'Lucy <lucy+copy@example.com>' })).toBe('post');
    expect(await posts()).toMatchObject([{ isDraft: false }]);
  });
});
