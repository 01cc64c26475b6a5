import sharp from 'sharp';
import { expect, it, vi } from 'vitest';
import { fileAddress } from '../../server/files/address.ts';
import { Downloads } from '../../server/limits/downloads.ts';
import { describeEngines } from '../support/engines.ts';
import { essay } from '../support/factories.ts';
import type { Person, Site } from '../support/site.ts';
import { upload } from '../support/storage.ts';
import { entriesOf } from '../support/zip-entries.ts';

const picture = (background: string) =>
  sharp({ create: { width: 40, height: 30, channels: 3, background } })
    .png()
    .toBuffer();

/** A post of friends with a picture attached and two in its text, and a file that is no picture. */
async function publish(s: Site) {
  const admin = await s.admin();
  const files = {} as Record<'attached' | 'first' | 'second' | 'words', string>;
  for (const [name, colour] of Object.entries({ attached: 'red', first: 'gold', second: 'navy' })) {
    const { url } = await upload(s, admin, `${name}.png`, await picture(colour));
    files[name as keyof typeof files] = url;
  }
  files.words = (await upload(s, admin, 'words.bin', 'words')).url;
  const { post } = await s.call(admin, 'createPost', {
    ...essay({
      title: 'On: rivers',
      content: `![](${files.first} "One")\n![](${files.second})\n\n[words](${files.words})`,
      tags: ['friends'],
    }),
    attachments: [{ url: files.attached, description: null }],
  });
  return { admin, post, files };
}

describeEngines(({ site }) => {
  it('the zip of the pictures of a post holds what the post shows, in its order, as this site serves it', async () => {
    const s = await site();
    const { admin, post, files } = await publish(s);
    const path = `/post/${post.id}/pictures.zip`;
    const answer = await s.request(path, admin);
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="On_ rivers.zip"');
    expect(answer.headers.get('cache-control')).toBe('private, no-store');
    const zip = Buffer.from(await answer.arrayBuffer());
    expect(zip.length).toBe(Number(answer.headers.get('content-length')));
    const entries = await entriesOf(zip);
    expect([...entries.keys()]).toEqual(['1 first.png', '2 second.png', '3 attached.png']);
    const served = await s.request(files.first, admin);
    expect(entries.get('1 first.png')).toEqual(Buffer.from(await served.arrayBuffer()));
    expect((await s.request(path, admin, { method: 'HEAD' })).status).toBe(200);
  });

  it('the zip of the pictures of a post has a date that a zip can hold, also of a post from 1969', async () => {
    const s = await site();
    const { admin, files } = await publish(s);
    const { post } = await s.call(admin, 'createPost', {
      ...essay({ content: `![](${files.first})` }),
      date: '1969-07-20T00:00:00Z',
    });
    const answer = await s.request(`/post/${post.id}/pictures.zip`, null);
    const entries = await entriesOf(Buffer.from(await answer.arrayBuffer()));
    expect([...entries.keys()]).toEqual(['1 first.png']);
  });

  it('the zip of the pictures of a post is named by the beginning of a long title, also one of emoji', async () => {
    const s = await site();
    const { admin, post, files } = await publish(s);
    const title = `x${'😀'.repeat(60)}y`;
    await s.call(admin, 'updatePost', {
      ...essay({ title, content: `![](${files.first})` }),
      postId: post.id,
    });
    const answer = await s.request(`/post/${post.id}/pictures.zip`, admin, { method: 'HEAD' });
    expect(answer.status).toBe(200);
    const name = decodeURIComponent(answer.headers.get('content-disposition')?.split("UTF-8''")[1] ?? '');
    expect(name).toBe(`x${'😀'.repeat(49)}\ufffd.zip`);
  });

  it('the zip of the pictures of a post opens no picture for a network that has too many downloads', async () => {
    const s = await site();
    const { admin, post } = await publish(s);
    const read = vi.spyOn(s.deps.files, 'read');
    const ask = () => s.request(`/post/${post.id}/pictures.zip`, admin, { peer: '192.0.2.1' });
    s.deps.downloads = new Downloads(s.deps.clock, 0);
    expect((await ask()).status).toBe(429);
    s.deps.downloads = new Downloads(s.deps.clock);
    await (await ask()).arrayBuffer();
    expect(read).toHaveBeenCalledTimes(3);
  });

  it('the zip of the pictures of a post is given to those who may read the post, and ends with that right', async () => {
    const s = await site();
    const { admin, post } = await publish(s);
    const reader = await s.member(['friends']);
    const path = `/post/${post.id}/pictures.zip`;
    const status = async (as: Person) => (await s.request(path, as)).status;
    const page = (as: Person) =>
      s.call(as, 'getPost', { postId: post.id }).then(
        () => 200,
        () => 403,
      );
    const others = [null, await s.member(['family']), await s.denied()];
    expect([await status(reader), await page(reader)]).toEqual([200, 200]);
    for (const other of others) expect([await status(other), await page(other)]).toEqual([403, 403]);
    await s.call(admin, 'setApprovedTags', { userId: reader.id, tags: [] });
    expect(await status(reader)).toBe(403);
    expect((await s.request('/post/nothing/pictures.zip', admin)).status).toBe(404);
  });

  it('the zip of the pictures of a post has no picture of another post, whose address the text names', async () => {
    const s = await site();
    const { admin, post } = await publish(s);
    const { post: plain } = await s.call(admin, 'createPost', essay({ content: 'Words.' }));
    const { url } = await upload(s, admin, 'secret.png', await picture('black'));
    await s.deps.db
      .updateTable('posts')
      .set({ html: `<img src="${url}"><img src="${fileAddress(post.id)}">` })
      .where('id', '=', plain.id)
      .execute();
    expect((await s.request(`/post/${plain.id}/pictures.zip`, admin)).status).toBe(404);
  });
});
