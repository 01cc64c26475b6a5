import { type Kysely, sql } from 'kysely';
import { commentMaxCharacters } from '../../../contract/constants.ts';
import { firstCharacters } from '../../../contract/text.ts';
import { hasVisible } from '../../../contract/values.ts';
import { dialectOf } from '../../db/dialect.ts';
import type { Tables } from '../../db/tables.ts';
import type { DraftPost } from './draft.ts';
import { alreadyImported, findImported, importedId, noteImported } from './imported.ts';
import { inBatches } from './in-batches.ts';

type Place = {
  /** The unique name of the post across sources. */
  source: string;
  id: string;
  /** The accounts here of people of the source; null for one without. */
  accounts: ReadonlyMap<string, string | null>;
};

/**
 * Saves the comments of a post that were not imported before: first top-level ones, then answers. An answer
 * to a missing comment becomes top-level. Returns how many were saved.
 */
export async function saveComments(
  trx: Kysely<Tables>,
  secret: string,
  { comments }: DraftPost,
  { source, id, accounts }: Place,
): Promise<number> {
  const named = namedComments(source, comments);
  const known = await alreadyImported(
    trx,
    named.map(({ name }) => name),
  );
  const taken = await takenIds(trx, comments);
  const now = new Map<string, string>();
  const rows = named
    .filter(({ name }) => !known.has(name))
    .flatMap(({ name, comment, isFirst }) =>
      partsOf(comment.content).map((content, part) => {
        const keepsId = part === 0 && isFirst && comment.keepId !== undefined && !taken.has(comment.keepId);
        const own = keepsId && comment.keepId ? comment.keepId : importedId(secret, `${name}+${part}`);
        if (part === 0 && isFirst) now.set(comment.id, own);
        return {
          source: part === 0 ? name : `${name}+${part}`,
          answers: comment.answers,
          id: own,
          post_id: id,
          user_id: accounts.get(comment.personId ?? '') ?? null,
          author_name: accounts.get(comment.personId ?? '') == null ? (comment.authorName ?? null) : null,
          content,
          // In order, however many pieces one has.
          created_at: comment.time + part,
          hidden_at: comment.hidden === undefined ? null : comment.time,
          hidden_reason: comment.hidden ?? null,
        };
      }),
    );
  type Row = (typeof rows)[number];
  const insert = (some: readonly (Row & { parent_id?: string | null })[]) =>
    inBatches(some, async batch => {
      await noteImported(
        trx,
        batch.map(row => ({ source: row.source, kind: 'comment', target_id: row.id })),
      );
      return await trx
        .insertInto('comments')
        .values(batch.map(({ source: _, answers: __, ...row }) => row))
        // An id may have been taken meanwhile.
        .onConflict(conflict => conflict.doNothing())
        .returning(['id', 'hidden_at'])
        .execute();
    });
  const first = await insert(rows.filter(({ answers }) => answers === undefined));
  const answers = rows.filter(row => row.answers !== undefined);
  const parents = await parentsOf(trx, { source, id, now }, answers);
  const later = await insert(
    answers.map(row => ({ ...row, parent_id: parents.get(row.answers ?? '') ?? null })),
  );
  const added = [...first, ...later];
  if (added.length === 0) return 0;
  const shown = added.filter(({ hidden_at }) => hidden_at === null).length;
  await trx
    .updateTable('posts')
    .set(eb => ({
      comment_count: eb('comment_count', '+', shown),
      comments_version: eb('comments_version', '+', 1),
    }))
    .where('id', '=', id)
    .execute();
  return added.length;
}

/** The comments here that were answered, by their ids at the source: from this run, or an earlier one. */
async function parentsOf(
  trx: Kysely<Tables>,
  { source, id, now }: { source: string; id: string; now: ReadonlyMap<string, string> },
  answers: readonly { answers: string | undefined }[],
): Promise<ReadonlyMap<string, string>> {
  const parents = new Map<string, string>();
  for (const answered of new Set(answers.flatMap(row => row.answers ?? []))) {
    const here = now.get(answered) ?? (await findImported(trx, `${source}/comments/${answered}`))?.target_id;
    if (here === undefined) continue;
    // It may have been deleted here since, or its id belongs to another post.
    const parent = await trx
      .selectFrom('comments')
      .select('id')
      .where('id', '=', here)
      .where('post_id', '=', id)
      .where('parent_id', 'is', null)
      .executeTakeFirst();
    if (parent !== undefined) parents.set(answered, parent.id);
  }
  return parents;
}

type Comment = DraftPost['comments'][number];
type NamedComment = { name: string; comment: Comment; isFirst: boolean };

/**
 * Comments, each with a unique name across sources: a second one with the same id, or without one, is another
 * comment, unless it has the same text and time.
 */
export function namedComments(source: string, comments: readonly Comment[]): NamedComment[] {
  const counts = new Map<string, number>();
  const met = new Set<string>();
  return comments.flatMap(comment => {
    const { id, content, time, personId, authorName } = comment;
    const said = JSON.stringify([id, content, time, personId, authorName]);
    if (met.has(said)) return [];
    met.add(said);
    const before = counts.get(id) ?? 0;
    counts.set(id, before + 1);
    const name = `${source}/comments/${id}${before === 0 ? '' : `~${before}`}`;
    return { name, comment, isFirst: before === 0 };
  });
}

/** Ids for programs that other comments here already have. */
async function takenIds(trx: Kysely<Tables>, comments: readonly Comment[]): Promise<Set<string>> {
  const ids = comments.flatMap(({ keepId }) => keepId ?? []);
  if (ids.length === 0) return new Set();
  const rows = await trx
    .selectFrom('comments')
    .select('id')
    .where(dialectOf(trx).inList(sql.ref('id'), ids))
    .execute();
  return new Set(rows.map(row => row.id));
}

/** A comment within our limit, or the pieces of a longer one; none for an empty one. */
function partsOf(written: string): string[] {
  const text = written.replaceAll(/\r\n?/g, '\n').replaceAll('\0', '').toWellFormed().trim();
  if (!hasVisible(text)) return [];
  const parts: string[] = [];
  for (let rest = text; rest !== ''; ) {
    const part = firstCharacters(rest, commentMaxCharacters);
    rest = rest.slice(part.length);
    if (part.trim() !== '') parts.push(part.trim());
  }
  return parts;
}
