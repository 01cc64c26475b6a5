import sharp from 'sharp';
import { expect, it } from 'vitest';
import { describeEngines } from '../support/engines.ts';
import { essay, publish } from '../support/factories.ts';
import { gridOf } from '../support/heif.ts';
import { saveSettings } from '../support/save-settings.ts';
import { type Person, refusal, type Site } from '../support/site.ts';

async function pictureOf(background: string): Promise<string> {
  const picture = sharp({ create: { width: 300, height: 200, channels: 3, background } });
  return (
    await picture
      .jpeg()
      .withExif({ IFD0: { Artist: 'Mina' } })
      .toBuffer()
  ).toString('base64');
}

async function setFace(s: Site, person: Person, background: string): Promise<string> {
  const { face } = await s.call(person, 'setFace', { picture: await pictureOf(background) });
  return face ?? '';
}

const statusFor = async (s: Site, address: string, as: Person) => (await s.request(address, as)).status;

describeEngines(({ site, siteWithAdmin }) => {
  it('a face is a square without what the camera wrote, and a new one takes its place', async () => {
    const s = await site();
    const member = await s.member();
    const face = await setFace(s, member, '#803010');
    const answer = await s.request(face, member);
    const { width, height, exif } = await sharp(Buffer.from(await answer.arrayBuffer())).metadata();
    expect([answer.headers.get('content-type'), width, height, exif]).toEqual([
      'image/webp',
      160,
      160,
      undefined,
    ]);
    const etag = answer.headers.get('etag') ?? '';
    const known = await s.request(face, member, { headers: { 'if-none-match': etag } });
    expect(known.status).toBe(304);
    expect((await s.call(member, 'getAccount', {})).face).toBe(face);
    const another = await setFace(s, member, '#103080');
    expect(await statusFor(s, face, member)).toBe(404);
    expect(await statusFor(s, another, member)).toBe(200);
    await s.call(member, 'setFace', { picture: null });
    expect(await statusFor(s, another, member)).toBe(404);
    expect((await s.call(member, 'getAccount', {})).face).toBe(null);
  });

  it('what is no picture, or would take too much memory to read, is refused', async () => {
    const s = await site();
    const member = await s.member();
    const refused = async (bytes: Buffer) =>
      await refusal(s.call(member, 'setFace', { picture: bytes.toString('base64') }));
    expect(await refused(Buffer.from('nothing'))).toBe('invalid-argument');
    const drawing =
      '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>';
    expect(await refused(Buffer.from(drawing))).toBe('invalid-argument');
    const plain = { width: 4_000, height: 4_000, channels: 3 as const, background: '#803010' };
    const bomb = await sharp({ create: plain }).avif({ effort: 0 }).toBuffer();
    expect(await refused(bomb)).toBe('out-of-range');
    const small = gridOf(bomb, { width: 90, height: 90 }, plain);
    expect((await sharp(small).metadata()).width).toBe(90);
    expect(await refused(small)).toBe('out-of-range');
    expect(await refused(Buffer.alloc(150_000))).toBe('invalid-argument');
  });

  it('an address that names nothing is not found, whatever it is made of', async () => {
    const s = await site();
    for (const path of ['/face/x/y', '/face/%00/x', '/face/x/%00', `/face/${'x'.repeat(65)}/y`])
      expect([path, await statusFor(s, path, null)]).toEqual([path, 404]);
  });

  it('only members have a picture', async () => {
    const s = await site();
    const pending = s.call(await s.signUp(), 'setFace', { picture: await pictureOf('#803010') });
    expect(await refusal(pending)).toBe('permission-denied');
  });

  it('the face on a comment is for those who read the comment', async () => {
    const [s, admin] = await siteWithAdmin();
    const [friend, stranger] = [await s.member(['friends']), await s.member()];
    const [postId = ''] = await publish(s, admin, essay({ tags: ['friends'] }));
    const face = await setFace(s, friend, '#803010');
    const other = await s.member(['friends']);
    expect(await statusFor(s, face, other)).toBe(404);
    expect(await statusFor(s, face, admin)).toBe(200);
    const { comment } = await s.call(friend, 'addComment', { postId, content: 'Hello' });
    expect(comment.authorFace).toBe(face);
    const readers = [other, stranger, null];
    const statuses = async () => await Promise.all(readers.map(reader => statusFor(s, face, reader)));
    expect(await statuses()).toEqual([200, 404, 404]);
    await s.call(admin, 'setApprovedTags', { userId: other.id, tags: [] });
    expect(await statuses()).toEqual([404, 404, 404]);
    await s.call(admin, 'setApprovedTags', { userId: other.id, tags: ['friends'] });
    await s.call(admin, 'hideComment', { commentId: comment.id, reason: 'Not here.' });
    expect(await statuses()).toEqual([404, 404, 404]);
  });

  it('an admin removes the face of a member, who may choose another', async () => {
    const [s, admin] = await siteWithAdmin();
    const member = await s.member();
    const postId = (await publish(s, admin, essay()))[0] ?? '';
    await s.call(member, 'addComment', { postId, content: 'Hello' });
    const face = await setFace(s, member, '#803010');
    expect(await refusal(s.call(member, 'removeFace', { userId: admin.id }))).toBe('permission-denied');
    expect(await refusal(s.call(admin, 'removeFace', { userId: 'nobody' }))).toBe('not-found');
    const { user } = await s.call(admin, 'removeFace', { userId: member.id });
    expect(user).toMatchObject({ id: member.id, face: null });
    expect(await statusFor(s, face, admin)).toBe(404);
    const { comments } = await s.call(admin, 'listComments', { postId });
    expect(comments.map(({ authorFace }) => authorFace)).toEqual([null]);
    // Without a picture there is nothing to remove, and nothing for the history.
    await s.call(admin, 'removeFace', { userId: member.id });
    const { entries } = await s.call(admin, 'getHistory', { person: member.username });
    expect(entries.filter(({ kind }) => kind === 'face-removed')).toMatchObject([
      { actor: { id: admin.id }, user: { id: member.id } },
    ]);
    expect(await setFace(s, member, '#103080')).not.toBe(face);
  });

  it('the face of an author is for those who read the byline, and goes with the account', async () => {
    const [s, admin] = await siteWithAdmin();
    const author = await s.member();
    await s.call(admin, 'setAuthor', { userId: author.id, isAuthor: true });
    await saveSettings(s, admin, { namesAuthors: 'true' });
    const [postId = ''] = await publish(s, author, essay());
    const faceOnPost = async () => (await s.call(null, 'getPost', { postId })).post.authorFace;
    const faceInTimeline = async () => (await s.call(null, 'getPosts', {})).posts[0]?.authorFace;
    expect([await faceOnPost(), await faceInTimeline()]).toEqual([null, null]);
    const face = await setFace(s, author, '#803010');
    expect([await faceOnPost(), await faceInTimeline()]).toEqual([face, face]);
    expect(await statusFor(s, face, null)).toBe(200);
    await saveSettings(s, admin, { namesAuthors: 'false' });
    expect([await faceOnPost(), await faceInTimeline()]).toEqual([null, null]);
    expect(await statusFor(s, face, null)).toBe(404);
    const { data } = await s.call(author, 'exportAccount', {});
    expect(data.face).toEqual({ webp: expect.any(String) });
    await s.deps.db.deleteFrom('users').where('id', '=', author.id).execute();
    expect(await s.deps.db.selectFrom('faces').selectAll().execute()).toEqual([]);
    expect(await statusFor(s, face, admin)).toBe(404);
  });
});
