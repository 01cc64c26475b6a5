import { type Kysely, sql } from 'kysely';
import { dialectOf } from '../db/dialect.ts';
import type { Tables } from '../db/tables.ts';
import { isAnswered } from './describe.ts';

/** The values of a deleted comment's placeholder; the table accepts no empty text. */
export const emptied = {
  is_deleted: true,
  content: '-',
  user_id: null,
  author_name: null,
  key: null,
  edited_at: null,
  hidden_at: null,
  hidden_reason: null,
};

/** Removes a comment, and the placeholder that it answered if nothing else answers it. */
export async function removeComment(
  trx: Kysely<Tables>,
  { id, parent_id }: { id: string; parent_id: string | null },
): Promise<void> {
  if (await hasAnswers(trx, id)) {
    await trx.updateTable('comments').set(emptied).where('id', '=', id).execute();
    await trx.deleteFrom('comment_reports').where('comment_id', '=', id).execute();
    return;
  }
  await trx.deleteFrom('comments').where('id', '=', id).execute();
  if (parent_id !== null) await updatePlaceholders(trx, [parent_id]);
}

/**
 * Updates the placeholders of these comments after their answers changed: removes those of deleted comments
 * without answers, and touches the others, so that open pages are notified. A viewer who sees no answer sees
 * no placeholder.
 */
export async function updatePlaceholders(trx: Kysely<Tables>, ids: readonly string[]): Promise<void> {
  const { inList } = dialectOf(trx);
  await trx
    .deleteFrom('comments')
    .where(inList(sql.ref('id'), ids))
    .where('is_deleted', '=', true)
    .where(sql<boolean>`not ${isAnswered}`)
    .execute();
  await trx
    .updateTable('comments')
    .set(eb => ({ hidden_at: eb.ref('hidden_at') }))
    .where(inList(sql.ref('id'), ids))
    .where(eb => eb.or([eb('is_deleted', '=', true), eb('hidden_at', 'is not', null)]))
    .execute();
}

async function hasAnswers(trx: Kysely<Tables>, id: string): Promise<boolean> {
  const answers = trx.selectFrom('comments').select('id').where('parent_id', '=', id).limit(1);
  return (await answers.executeTakeFirst()) !== undefined;
}
