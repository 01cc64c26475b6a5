import { type ExpressionBuilder, type Kysely, sql } from 'kysely';
import { dialectOf } from '../db/dialect.ts';
import type { Tables } from '../db/tables.ts';

/** Few enough to delay nobody: on SQLite all other writes wait for a sweep. */
const unusedAtOnce = 1_000;

/**
 * Deletes combinations that no post has any more, because each process holds all of them in memory. Their ids
 * are never used again.
 */
export async function sweepTagSets({ db }: { db: Kysely<Tables> }): Promise<void> {
  await db.transaction().execute(async trx => {
    const hasPost = (eb: ExpressionBuilder<Tables, 'tag_sets'>) =>
      eb.exists(eb.selectFrom('posts').select('id').whereRef('tag_set_id', '=', 'tag_sets.id'));
    const unused = trx
      .selectFrom('tag_sets')
      .select('id')
      .where('published_count', '=', 0)
      .where(eb => eb.not(hasPost(eb)))
      .limit(unusedAtOnce);
    const ids = (await dialectOf(trx).skipLocked(unused).execute()).map(({ id }) => id);
    if (ids.length === 0) return;
    // Asked again: until it was locked, somebody may have saved a post with it.
    await trx
      .deleteFrom('tag_sets')
      .where(dialectOf(trx).inList(sql.ref('id'), ids))
      .where(eb => eb.not(hasPost(eb)))
      .execute();
  });
}
