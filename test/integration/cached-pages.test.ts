import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { setAuthor } from '../../server/accounts/members/roles.ts';
import { renderDocument } from '../../server/surfaces/pages/document.ts';
import { render } from '../../web/entry-server.tsx';
import { describeEngines } from '../support/engines.ts';
import { essay, publish, shortPost } from '../support/factories.ts';
import { type Person, pageAssets, type Site } from '../support/site.ts';

/** Pages are cached by reader, until something changes that they depend on. */
describeEngines(({ site }) => {
  /** The page as it is rendered for this reader alone. */
  async function rendered(s: Site, as: Person, path: string): Promise<string> {
    const page = await render(path, (name, input) => s.call(as, name, input));
    if ('location' in page) throw new Error(`${path} leads to ${page.location}.`);
    const settings = await s.deps.settings();
    const { publicUrl } = s.config;
    return renderDocument(page, pageAssets, { publicUrl, settings, isPublic: as === null });
  }
  const answered = async (s: Site, as: Person, path: string) => await (await s.request(path, as)).text();

  async function scene(s: Site) {
    const admin = await s.admin();
    const readers = [
      await s.member(['red'], 'one'),
      await s.member(['red', 'blue'], 'another'),
      await s.member([], 'third'),
    ];
    await s.deps.db
      .updateTable('users')
      .set({ name: `</script><b title='"'>O'Neil & Söhne</b>` })
      .where('username', '=', 'another')
      .execute();
    const [first = '', second = ''] = await publish(
      s,
      admin,
      essay({ title: 'Open', tags: [] }),
      shortPost('short & open'),
      essay({ title: 'Red', tags: ['red'] }),
    );
    const paths = ['/', `/post/${first}`, `/post/${second}`];
    const people = [null, ...readers, await s.signUp(), await s.denied(), admin];
    return { admin, readers, first, second, paths, people };
  }

  it('a cached page is no page of an author, in whatever letters its address is written', async () => {
    const s = await site();
    const author = await s.member();
    await setAuthor(s.deps, author.id, true);
    const [postId = ''] = await publish(s, author, essay({ tags: [] }));
    for (const start of ['/admin', '/Admin', '/%61dmin']) {
      expect([start, (await s.request(`${start}/posts/${postId}/edit`, author)).status]).toEqual([
        start,
        200,
      ]);
    }
  });

  it('a cached page is for each of them the same as if it were rendered only for them', async () => {
    const s = await site();
    const { readers, first, second, paths, people } = await scene(s);
    const all = async () => {
      for (const path of paths) {
        for (const person of people)
          expect(await answered(s, person, path)).toBe(await rendered(s, person, path));
      }
      for (const person of readers.slice(0, 2)) {
        expect(await answered(s, person, '/tags/red')).toBe(await rendered(s, person, '/tags/red'));
      }
    };
    await all();
    // Counts in the singular and the plural, and likes of some.
    for (const [index, reader] of readers.entries()) {
      await s.call(reader, 'setLike', { postId: first, liked: true });
      if (index < 1) await s.call(reader, 'addComment', { postId: second, content: 'Yes.' });
      await all();
    }
    await s.call(readers[1] ?? null, 'setLike', { postId: first, liked: false });
    await all();
  });

  it('a cached page is for an author the same as if it were rendered only for them, also the editor of their post', async () => {
    const s = await site();
    const author = await s.member([], 'writer');
    await setAuthor(s.deps, author.id, true);
    const { post } = await s.call(author, 'createPost', shortPost('mine'));
    for (const path of ['/', `/post/${post.id}`, '/admin/posts', `/admin/posts/${post.id}/edit`]) {
      expect(await answered(s, author, path)).toBe(await rendered(s, author, path));
    }
  });

  it('a cached page is the same in every encoding', async () => {
    const s = await site();
    const { readers, first, paths, people } = await scene(s);
    for (const liked of [true, false, true]) {
      await s.call(readers[0] ?? null, 'setLike', { postId: first, liked });
      for (const path of paths) {
        for (const person of people) {
          const zipped = await s.request(path, person, { headers: { 'accept-encoding': 'gzip' } });
          expect(zipped.headers.get('content-encoding')).toBe('gzip');
          const text = gunzipSync(await zipped.arrayBuffer()).toString();
          expect(text).toBe(await answered(s, person, path));
        }
      }
    }
  });

  it('a cached page is no longer shown to somebody who has lost the right to a post on it', async () => {
    const s = await site();
    const { admin, readers, paths } = await scene(s);
    const [one, another] = readers;
    for (const reader of [one, another]) expect(await answered(s, reader ?? null, '/')).toContain('Red');
    await s.call(admin, 'denyUser', { userId: one?.id ?? '' });
    for (const path of ['/', ...paths]) expect(await answered(s, one ?? null, path)).not.toContain('Red');
    expect(await answered(s, another ?? null, '/')).toContain('Red');
  });

  it('a cached page has another ETag when the counts on it change', async () => {
    const s = await site();
    const { readers, first } = await scene(s);
    const tag = async () => (await s.request('/')).headers.get('etag');
    const before = await tag();
    expect(await tag()).toBe(before);
    await s.call(readers[0] ?? null, 'setLike', { postId: first, liked: true });
    expect(await tag()).not.toBe(before);
  });
});
