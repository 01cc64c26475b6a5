import fc from 'fast-check';
import { expect, it } from 'vitest';
import { loadTagCatalogue, mayRead } from '../../server/access/audience.ts';
import { viewerOfUser } from '../../server/access/viewer.ts';
import { describeEngines } from '../support/engines.ts';
import { publish, shortPost } from '../support/factories.ts';
import { changeUser } from '../support/rows.ts';
import { type Person, refusal, type Site } from '../support/site.ts';

const names = ['a', 'b', 'c', 'd'];
const someNames = fc.subarray(names);

/** What each member may read, asked of the rule one by one. */
async function readersOf(s: Site, tags: readonly string[]): Promise<Set<string>> {
  const catalogue = await loadTagCatalogue(s.deps.db);
  const tagIds = tags.map(name => catalogue.tagIdOf(name) ?? 'none');
  const users = await s.deps.db.selectFrom('users').select('id').where('is_admin', '=', false).execute();
  const viewers = await Promise.all(
    users.map(user => viewerOfUser(s.deps.db, user.id, catalogue.defaultTagIds)),
  );
  const readers = viewers.filter(
    viewer => viewer.role === 'member' && mayRead(viewer, { isPublished: true, tagIds }),
  );
  return new Set(readers.map(viewer => viewer.user?.id ?? ''));
}

/** The words of every published post that each kind of person is given, by asking as them. */
async function readable(s: Site, person: Person): Promise<Set<string>> {
  const ids = new Set<string>();
  for (let page = 1; ; page += 1) {
    const { posts, hasNextPage } = await s.call(person, 'getPosts', { page });
    for (const post of posts) ids.add(post.id);
    if (!hasNextPage) return ids;
  }
}

function effect(before: ReadonlySet<string>, after: ReadonlySet<string>) {
  return {
    gained: [...after].filter(id => !before.has(id)).length,
    lost: [...before].filter(id => !after.has(id)).length,
  };
}

describeEngines(({ siteWithAdmin }) => {
  it('those who may read are counted as the rule says, for any tags and any rights', async () => {
    const [s, admin] = await siteWithAdmin();
    await s.signUp();
    await s.denied();
    const members: Person[] = [];
    for (let index = 0; index < 8; index += 1) members.push(await s.member(index === 0 ? names : []));
    // As an import may bring them.
    await s.deps.db
      .updateTable('users')
      .set({ name: '' })
      .where('id', '=', members[1]?.id ?? '')
      .execute();
    await fc.assert(
      fc.asyncProperty(
        someNames,
        fc.array(someNames, { minLength: members.length, maxLength: members.length }),
        fc.subarray([...names, 'unknown']),
        fc.subarray([...names, 'unknown']),
        async (defaults, rights, tags, seenTags) => {
          await s.setDefaultTags(defaults);
          await Promise.all(
            members.map((member, index) =>
              s.call(admin, 'setApprovedTags', { userId: member?.id ?? '', tags: rights[index] ?? [] }),
            ),
          );
          const audience = await s.call(admin, 'describeAudience', { tags });
          expect(audience).toEqual({
            isPublic: tags.every(tag => defaults.includes(tag)),
            memberCount: (await readersOf(s, tags)).size,
            memberTotal: members.length,
            restrictedBy: tags.filter(tag => !defaults.includes(tag)),
          });
          const readers = await readersOf(s, tags);
          const { users } = await s.call(admin, 'getUsers', { list: 'approved' });
          const named = users
            .filter(({ id }) => readers.has(id))
            .map(({ name, username }) => name || username);
          const { names: shown, total } = await s.call(admin, 'listReaders', { tags });
          expect({ shown: shown.sort(), total }).toEqual({ shown: named.sort(), total: readers.size });
          // The effect of other tags on a post, also where as many gain it as lose it.
          const { gained, lost } = effect(await readersOf(s, seenTags), await readersOf(s, tags));
          expect(await s.call(admin, 'previewPostTags', { tags, seenTags })).toEqual({
            wasPublic: seenTags.every(tag => defaults.includes(tag)),
            isPublic: audience.isPublic,
            membersGained: gained,
            membersLost: lost,
          });
        },
      ),
      { numRuns: 40 },
    );
  });

  it('the preview of a change of default tags equals its effect', async () => {
    const [s, admin] = await siteWithAdmin();
    const members = [
      await s.member(names),
      await s.member(['a']),
      await s.member(['b', 'c']),
      await s.member(),
    ];
    const everybody: Person[] = [null, ...members];
    await publish(s, admin, shortPost('untagged'));
    await s.call(admin, 'createPost', { type: 'short', content: 'draft', tags: ['a'], isDraft: true });
    for (const tags of [['a'], ['b'], ['a', 'b'], ['b', 'c'], ['a', 'b', 'c'], ['c', 'd'], ['d'], names])
      await publish(s, admin, shortPost(`for ${tags}`, tags));
    await fc.assert(
      fc.asyncProperty(someNames, someNames, async (before, after) => {
        await s.setDefaultTags(before);
        const told = await s.call(admin, 'previewDefaultTags', { tags: after });
        const [visitorThen = new Set<string>(), ...then] = await Promise.all(
          everybody.map(one => readable(s, one)),
        );
        await s.call(admin, 'setDefaultTags', { tags: after });
        const [visitorNow = new Set<string>(), ...now] = await Promise.all(
          everybody.map(one => readable(s, one)),
        );
        const stayClosed = (id: string) => !visitorThen.has(id) && !visitorNow.has(id);
        const difference = (one: Set<string>[], other: Set<string>[]) =>
          new Set(
            one.flatMap((ids, index) => [...ids].filter(id => stayClosed(id) && !other[index]?.has(id))),
          );
        expect(told).toEqual({
          visitors: effect(visitorThen, visitorNow),
          members: { gained: difference(now, then).size, lost: difference(then, now).size },
        });
      }),
      { numRuns: 40 },
    );
  });

  it('the preview of an approval with tags, and of a change of tags, equals its effect', async () => {
    const [s, admin] = await siteWithAdmin();
    await s.setDefaultTags(['a']);
    for (const tags of [[], ['a'], ['b'], ['a', 'b'], ['b', 'c'], ['d']])
      await publish(s, admin, shortPost(`for ${tags}`, tags));
    const mina = await s.signUp();
    const userId = mina.id;
    const preview = (tags: string[]) => s.call(admin, 'previewApprovedTags', { userId, tags });
    expect(await preview([])).toMatchObject({ gained: 0, lost: 0 });
    expect(await preview(['b'])).toMatchObject({ gained: 2, lost: 0 });
    expect(await preview(['b', 'c', 'd'])).toMatchObject({ gained: 4, lost: 0 });
    expect(await preview([])).toHaveProperty('isEmailConfirmed', false);
    await changeUser(s, userId, { email_verified: true });
    expect(await preview([])).toHaveProperty('isEmailConfirmed', true);
    const before = await readable(s, mina);
    await s.call(admin, 'approveUser', { userId, tags: ['b'] });
    expect(effect(before, await readable(s, mina))).toEqual({ gained: 2, lost: 0 });
    expect(await preview(['b'])).toMatchObject({ gained: 0, lost: 0 });
    expect(await preview(['d'])).toMatchObject({ gained: 1, lost: 2 });
    expect(await refusal(preview(['nothing']))).toBe('invalid-argument');
    expect(await refusal(s.call(admin, 'previewApprovedTags', { userId: 'x', tags: [] }))).toBe('not-found');
    // Authors read their own posts with any tags.
    const author = await s.member(['b', 'd'], 'lucy');
    await s.call(admin, 'setAuthor', { userId: author.id, isAuthor: true });
    await publish(s, author, shortPost('their own', ['d']));
    const ofAuthor = (tags: string[]) => s.call(admin, 'previewApprovedTags', { userId: author.id, tags });
    expect(await ofAuthor(['b'])).toMatchObject({ gained: 0, lost: 1 });
    await s.call(admin, 'setApprovedTags', { userId: author.id, tags: ['b'] });
    expect(await ofAuthor(['b', 'd'])).toMatchObject({ gained: 1, lost: 0 });
    // An admin reads everything, whatever tags they are allowed.
    expect(await s.call(admin, 'previewApprovedTags', { userId: admin.id, tags: ['b'] })).toMatchObject({
      gained: 0,
      lost: 0,
    });
  });

  it('after two changes of the default tags at once, one of them holds', async () => {
    const [s, admin] = await siteWithAdmin();
    for (const name of names) await s.call(admin, 'addTag', { name });
    for (let round = 0; round < 10; round += 1) {
      await s.setDefaultTags([]);
      await Promise.all([
        s.call(admin, 'setDefaultTags', { tags: ['a', 'b'] }),
        s.call(admin, 'setDefaultTags', { tags: ['c'] }),
      ]);
      const { tags, version } = await s.call(admin, 'getDefaultTags', {});
      expect([['a', 'b'], ['c']]).toContainEqual(tags);
      const results = await Promise.allSettled([
        s.call(admin, 'setDefaultTags', { tags: ['a'], version }),
        s.call(admin, 'setDefaultTags', { tags: ['d'], version }),
      ]);
      expect(results.map(result => result.status).sort()).toEqual(['fulfilled', 'rejected']);
    }
  });
});
