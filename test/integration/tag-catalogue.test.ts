import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { loadTagCatalogue } from '../../server/access/audience.ts';
import { describeEngines } from '../engines.ts';
import { publish, shortPost } from '../factories.ts';

describeEngines('the catalogue of tags', ({ site, engine }) => {
  it.runIf(engine === 'postgres')('has no combination without its tags while one is made', async () => {
    const s = await site();
    await publish(s, await s.admin(), shortPost('shut', ['friends']));
    const { db } = s.deps;
    const friends = await db.selectFrom('tags').select('id').executeTakeFirstOrThrow();
    const waiting = async () => {
      const { rows } = await sql`
        select 1 from pg_locks where relation = 'tag_sets'::regclass and not granted`.execute(db);
      return rows.length;
    };
    const { made, loading } = await db.transaction().execute(async trx => {
      // The catalogue waits for the combinations. What it reads beside them, it reads before this one is committed.
      await sql`lock table tag_sets in access exclusive mode`.execute(trx);
      const loading = loadTagCatalogue(db);
      await expect.poll(waiting).toBe(1);
      const made = await trx
        .insertInto('tag_sets')
        .values({ key: 'one that is made now' })
        .returning('id')
        .executeTakeFirstOrThrow();
      await trx.insertInto('tag_set_tags').values({ tag_set_id: made.id, tag_id: friends.id }).execute();
      return { made, loading };
    });
    expect((await loading).tagIdsIn(made.id)).toEqual([friends.id]);
  });
});
