import { expect, it } from 'vitest';
import type { Input } from '../../contract/operations.ts';
import { describeEngines } from '../support/engines.ts';
import { essay, publish, shortPost } from '../support/factories.ts';
import { hostileSearches } from '../support/hostile-searches.ts';
import { type Person, renewSessions, type Site } from '../support/site.ts';

const queries: Input<'search'>[] = [
  ...[
    'boat',
    'bo',
    'b',
    'boat harbour',
    'sail',
    'bote',
    'harbur',
    'kayak',
    'secret',
    'secrt',
    '码头',
    'frie',
  ].map(q => ({ q })),
  ...[2, 3].map(page => ({ q: 'boat', page })),
  ...['friends', 'hidden', 'sea'].map(tag => ({ q: 'boat', tag })),
  { q: 'boat', year: 2026 },
  { q: 'boat', year: 2019 },
  { q: 'boat', withPictures: true },
  { q: 'boat', type: 'essay' },
  // Filters alone list posts.
  { q: '', withPictures: true },
  { q: '', year: 2026 },
  ...['friends', 'hidden', 'sea'].map(tag => ({ q: '', tag })),
];

/** All that somebody can learn from a search: its answers, and some of its pages, byte for byte. */
async function learn(s: Site, as: Person): Promise<string[]> {
  const answers: string[] = [];
  for (const [index, query] of queries.entries()) {
    answers.push(JSON.stringify([query, await s.call(as, 'search', query)]));
    if (index % 5 !== 0) continue;
    const fields = Object.entries(query).map(([name, value]) => [name, String(value)]);
    const page = await s.request(`/search?${new URLSearchParams(fields)}`, as);
    answers.push(`${page.status} ${await page.text()}`);
  }
  return answers;
}

describeEngines(({ site, siteWithAdmin }) => {
  it('closed posts change no byte of a search of those who may not read them', async () => {
    const [s, admin] = await siteWithAdmin();
    const author = await s.member(['friends']);
    await s.call(admin, 'setAuthor', { userId: author?.id ?? '', isAuthor: true });
    await s.setDefaultTags(['sea']);
    await publish(
      s,
      admin,
      ...Array.from({ length: 14 }, (_, index) =>
        shortPost(`Boat ${index} 码头`, index % 2 === 0 ? ['sea'] : []),
      ),
      essay({
        title: 'A boat',
        content: 'In the harbour. ![x](https://example.com/x.png)',
        tags: ['friends'],
      }),
    );
    const people = [
      null,
      await s.signUp(),
      await s.denied(),
      await s.member(),
      await s.member(['friends']),
      author,
    ];
    const before = await Promise.all(people.map(person => learn(s, person)));
    // Also at other times, in other ranks, with likelier words and with other tags than all open ones.
    for (const isDraft of [false, true]) {
      for (let index = 0; index < 15; index += 1) {
        await s.call(admin, 'createPost', {
          ...essay({
            title: `A boat ${index}`,
            description: 'boat',
            content: 'boat secret kayak harbur 码头 ![x](https://example.com/x.png)',
          }),
          tags: index % 2 === 0 ? ['hidden'] : ['hidden', 'friends', 'sailing'],
          isDraft,
        });
      }
    }
    s.wait(400 * 24 * 60 * 60 * 1_000);
    await renewSessions(s);
    await publish(s, admin, essay({ title: 'Boat secret', tags: ['hidden'] }));
    for (const [index, person] of people.entries()) expect(await learn(s, person)).toEqual(before[index]);
    expect((await s.call(admin, 'search', { q: 'secret' })).posts).toHaveLength(10);
  });

  it('a lost tag counts from the next search on', async () => {
    const [s, admin] = await siteWithAdmin();
    const member = await s.member(['friends']);
    await publish(s, admin, shortPost('A boat', ['friends']));
    const found = async () => (await s.call(member, 'search', { q: 'boat' })).posts.length;
    expect(await found()).toBe(1);
    await s.call(admin, 'setApprovedTags', { userId: member?.id ?? '', tags: [] });
    expect(await found()).toBe(0);
  });

  it('a search takes a number of whole steps of time, but for admins', async () => {
    const s = await site();
    await publish(s, await s.admin(), shortPost('A boat'));
    const before = s.pauses.length;
    await s.call(null, 'search', { q: 'boat' });
    expect(s.pauses.slice(before)).toEqual([expect.any(Number)]);
    expect(s.pauses.at(-1)).toBeGreaterThan(0);
    await s.call(await s.admin(), 'search', { q: 'boat' });
    expect(s.pauses).toHaveLength(before + 1);
  });

  it('a search takes operators of a query language for a text and nothing else', async () => {
    const s = await site();
    await publish(s, await s.admin(), shortPost('a plain text without the operators'));
    for (const q of hostileSearches)
      expect([q, (await s.call(null, 'search', { q })).posts]).toEqual([q, []]);
  });
});
