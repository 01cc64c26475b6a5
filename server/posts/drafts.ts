import type { Kysely } from 'kysely';
import { draftsPerAuthor } from '../../contract/constants.ts';
import { AppError } from '../../contract/errors.ts';
import { countRows } from '../db/count-rows.ts';
import type { Tables } from '../db/tables.ts';

/**
 * Throws failed-precondition for an author who has as many drafts as one may have. Nobody else sees these, so
 * nobody would notice a million; no limit of files counts them.
 */
export async function requireFewerDrafts(trx: Kysely<Tables>, authorId: string): Promise<void> {
  const drafts = trx.selectFrom('posts').where('author_id', '=', authorId).where('published_at', 'is', null);
  if ((await countRows(drafts)) >= draftsPerAuthor)
    throw new AppError(
      'failed-precondition',
      `You have ${draftsPerAuthor} drafts. Please delete some first.`,
    );
}
