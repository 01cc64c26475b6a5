import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { dialectOf } from '../../server/db/dialect.ts';
import { indexPosts } from '../../server/search/index-posts.ts';
import { describeEngines } from '../support/engines.ts';
import { publish, shortPost } from '../support/factories.ts';
import { recordQueries } from '../support/queries.ts';
import type { Person, Site } from '../support/site.ts';

const ask = async (s: Site, as: Person, q: string) => await s.call(as, 'search', { q });

describeEngines(({ siteWithAdmin, engine }) => {
  it('a reader’s search finds the same after the parts of the index are merged', async () => {
    const [s, admin] = await siteWithAdmin();
    for (let number = 0; number < 40; number += 1) await publish(s, admin, shortPost(`Boat ${number}.`));
    const [first = ''] = await publish(s, admin, shortPost('A ship.'));
    await s.call(admin, 'deletePost', { postId: first });
    const parts = async () => {
      const { rows } = await sql<{
        parts: number;
      }>`select count(distinct segid) as parts from post_search_idx`.execute(s.deps.db);
      return rows[0]?.parts;
    };
    const pagesToMerge = async () => {
      const { rows } = await sql<{
        pages: number;
      }>`select gin_clean_pending_list('post_search_tokens') as pages`.execute(s.deps.db);
      return rows[0]?.pages;
    };
    const before = [await ask(s, null, 'boat'), await ask(s, null, 'baot'), await ask(s, null, 'ship')];
    if (engine === 'sqlite') expect(await parts()).toBeGreaterThan(2);
    await dialectOf(s.deps.db).postSearch.mergeParts(s.deps.db, s.deps.stopping);
    if (engine === 'sqlite') expect(await parts()).toBeLessThanOrEqual(2);
    else expect(await pagesToMerge()).toBe(0);
    expect([await ask(s, null, 'boat'), await ask(s, null, 'baot'), await ask(s, null, 'ship')]).toEqual(
      before,
    );
  });

  it('posts of one moment are indexed with as many statements as others', async () => {
    const [s, admin] = await siteWithAdmin();
    const ids = await publish(s, admin, ...Array.from({ length: 30 }, (_, at) => shortPost(`Boat ${at}.`)));
    await s.deps.db.updateTable('posts').set({ created_at: 0, published_at: 0 }).execute();
    const statementsFor = async (id: string): Promise<number> => {
      const { plugin, queries } = recordQueries();
      await s.deps.db.transaction().execute(trx => indexPosts(trx.withPlugin(plugin), [id]));
      return queries.length;
    };
    const counts: number[] = [];
    for (const id of ids) counts.push(await statementsFor(id));
    expect(new Set(counts).size).toBe(1);
    expect((await ask(s, null, 'boat')).hasNextPage).toBe(true);
  });
});
