import { expect, it } from 'vitest';
import { denyUser } from '../../server/accounts/members/decide.ts';
import { describeEngines } from '../support/engines.ts';
import { essay } from '../support/factories.ts';
import { objectPath } from '../support/multipart.ts';
import type { Person, Site } from '../support/site.ts';
import { carry, type Upload, upload } from '../support/storage.ts';

/**
 * The canary matrix of files: every kind of viewer asks every route for the file of every state of post, in
 * every form, and no answer may hold its bytes, its name, its size or its address unless they may read the
 * post.
 */

const states = {
  open: { tags: [], isDraft: false },
  default: { tags: ['defaults'], isDraft: false },
  friends: { tags: ['friends'], isDraft: false },
  both: { tags: ['friends', 'secret'], isDraft: false },
  draft: { tags: [], isDraft: true },
};
type State = keyof typeof states | 'none' | 'two';

/**
 * Which files each kind of viewer may have, written out by hand. `two`: on a draft and on a post of friends.
 */
const readable: Record<string, State[]> = {
  visitor: ['open', 'default'],
  pending: ['open', 'default'],
  denied: ['open', 'default'],
  'member without tags': ['open', 'default'],
  'member with one tag': ['open', 'default', 'friends', 'two'],
  'member with both tags': ['open', 'default', 'friends', 'both', 'two'],
  admin: ['open', 'default', 'friends', 'both', 'draft', 'none', 'two'],
};

type Scene = {
  site: Site;
  people: Record<string, Person>;
  files: Record<State, Upload>;
  posts: Record<string, string>;
};

async function openScene(site: Site): Promise<Scene> {
  const admin = await site.admin();
  await site.setDefaultTags(['defaults']);
  const files = {} as Record<State, Upload>;
  const posts: Record<string, string> = {};
  for (const [state, fields] of Object.entries(states)) {
    posts[state] = (await site.call(admin, 'createPost', essay(fields))).post.id;
  }
  for (const state of [...Object.keys(states), 'none', 'two'] as State[]) {
    files[state] = await upload(site, admin, `posts/name${state}q.bin`, `bytes${state}q`);
    if (posts[state] !== undefined) await carry(site, posts[state], files[state].id);
  }
  await carry(site, posts.draft ?? '', files.two.id);
  await carry(site, posts.friends ?? '', files.two.id);
  return {
    site,
    files,
    posts,
    people: {
      visitor: null,
      pending: await site.signUp(),
      denied: await site.denied(),
      'member without tags': await site.member(),
      'member with one tag': await site.member(['friends']),
      'member with both tags': await site.member(['friends', 'secret']),
      admin,
    },
  };
}

/** Every request by which somebody might learn of a file. */
function asks({ name, id }: Upload, etag: string): [path: string, init: RequestInit][] {
  const object = objectPath(name);
  const media = [`/files/${id}/name.bin`, `${object}?alt=media`];
  return [
    ...media.flatMap((path): [string, RequestInit][] => [
      [path, {}],
      [path, { method: 'HEAD' }],
      [path, { headers: { range: 'bytes=0-3' } }],
      [path, { headers: { 'if-none-match': etag } }],
      [path, { headers: { 'if-none-match': '*' } }],
      [path, { headers: { range: 'bytes=999-' } }],
    ]),
    [`/files/${id}`, {}],
    [`/files/${id}?width=480`, {}],
    [`/files/${id}?width=poster`, {}],
    [`/files/${id}?width=original`, {}],
    [object, {}],
    [object, { method: 'HEAD' }],
    [`${object}?alt=media&token=x`, {}],
    ['/v0/b/coterie/o', {}],
    ['/v0/b/coterie/o?prefix=posts/&delimiter=/', {}],
  ];
}

describeEngines(({ site }) => {
  it('1, 6. a file is given to everybody who may read a post with it, and to nobody else', async () => {
    const scene = await openScene(await site());
    const admin = scene.people.admin ?? null;
    const found: string[] = [];
    const etags = new Map<string, string>();
    for (const { id, url } of Object.values(scene.files)) {
      const { headers } = await scene.site.request(url, admin, { method: 'HEAD' });
      etags.set(id, headers.get('etag') ?? '');
    }
    for (const [who, person] of Object.entries(scene.people)) {
      for (const [state, file] of Object.entries(scene.files) as [State, Upload][]) {
        const mayRead = readable[who]?.includes(state) ?? false;
        const etag = etags.get(file.id) ?? '';
        const asked = asks(file, etag).map(async ([path, init]) => {
          const answer = await scene.site.request(path, person, init);
          const text = `${await answer.text()} ${JSON.stringify([...answer.headers])}`;
          const isSeen =
            text.includes(`${state}q`) || [200, 206, 304, 416].includes(answer.status) || text.includes(etag);
          const isList = path.startsWith('/v0/b/coterie/o?') || path === '/v0/b/coterie/o';
          const expected = isList ? who === 'admin' : mayRead;
          const line = `${who} ${state} ${init.method ?? 'GET'} ${path} ${JSON.stringify(init.headers ?? {})}`;
          if (isSeen !== expected) found.push(`${line}: ${answer.status}`);
          const cache = answer.headers.get('cache-control') ?? '';
          const isOpen = state === 'open' || state === 'default';
          if (/public/.test(cache) && !isOpen) found.push(`${line} is public`);
        });
        await Promise.all(asked);
      }
    }
    expect(found).toEqual([]);
  });

  it('a token opens a file only as long as the user to whom it was given may have the file', async () => {
    const { site: s, files, people, posts } = await openScene(await site());
    const friend = people['member with one tag'] as NonNullable<Person>;
    const described: Upload = await (await s.request(objectPath(files.friends.name), friend)).json();
    const token = described.downloadTokens;
    const open = async (name: string, as: Person = null) =>
      (await s.request(`${objectPath(name)}?alt=media&token=${token}`, as)).status;
    const withToken = async (method: string, path: string) =>
      (
        await s.request(`${path}${path.includes('?') ? '&' : '?'}token=${token}`, null, {
          method,
          body: null,
        })
      ).status;
    expect(await open(files.friends.name)).toBe(200);
    // One file, and reading its bytes alone.
    expect([await open(files.both.name), await open(files.none.name)]).toEqual([404, 404]);
    expect(await withToken('GET', objectPath(files.friends.name))).toBe(404);
    expect(await withToken('DELETE', objectPath(files.friends.name))).toBe(401);
    expect(await withToken('PATCH', objectPath(files.friends.name))).toBe(401);
    expect(await withToken('GET', '/v0/b/coterie/o')).toBe(401);
    expect(await withToken('POST', '/v0/b/coterie/o?name=x')).toBe(401);

    await s.call(people.admin ?? null, 'updatePost', {
      postId: posts.friends ?? '',
      ...essay({ tags: ['secret'] }),
    });
    expect(await open(files.friends.name)).toBe(404);
    await s.call(people.admin ?? null, 'updatePost', {
      postId: posts.friends ?? '',
      ...essay({ tags: ['friends'] }),
    });
    expect(await open(files.friends.name)).toBe(200);
    s.wait(60 * 60 * 1_000 + 1);
    expect([await open(files.friends.name), await open(files.friends.name, friend)]).toEqual([404, 200]);

    const fresh: Upload = await (await s.request(objectPath(files.friends.name), friend)).json();
    await denyUser(s.deps, friend.id);
    const path = `${objectPath(files.friends.name)}?alt=media&token=${fresh.downloadTokens}`;
    expect((await s.request(path)).status).toBe(404);
  });

  it('7. a file is closed together with its post immediately', async () => {
    const { site: s, files, people, posts } = await openScene(await site());
    const admin = people.admin ?? null;
    const friend = people['member with one tag'] ?? null;
    const read = async (file: Upload, as: Person) => (await s.request(file.url, as)).status;
    expect([await read(files.friends, friend), await read(files.open, null)]).toEqual([200, 200]);
    await s.call(admin, 'updatePost', { postId: posts.friends ?? '', ...essay({ tags: ['secret'] }) });
    await s.call(admin, 'updatePost', { postId: posts.open ?? '', ...essay({ tags: ['friends'] }) });
    expect([
      await read(files.friends, friend),
      await read(files.open, null),
      await read(files.open, friend),
    ]).toEqual([404, 404, 200]);
    await s.call(admin, 'deletePost', { postId: posts.open ?? '' });
    expect(await read(files.open, friend)).toBe(404);
  });
});
