import { type Kysely, sql } from 'kysely';
import { commentMaxCharacters } from '../../../contract/constants.ts';
import { AppError } from '../../../contract/errors.ts';
import { dialectOf } from '../../db/dialect.ts';
import type { Tables } from '../../db/tables.ts';
import { inTransaction, type WriteContext } from '../../db/transaction.ts';
import { oldAddress } from '../../posts/old-addresses.ts';
import { findSavedPost, insertPost, type PostText, replacePost } from '../../posts/save.ts';
import type { DraftPost } from './draft.ts';
import { alreadyImported, findImported, importedId, noteImported } from './imported.ts';

/** Rows that one statement inserts: PostgreSQL takes 65,535 parameters, SQLite 32,766. */
const batch = 500;

/** The post was changed in Coterie while it was being read; the message is the reason for the report. */
export class ChangedMeanwhile extends Error {}

/** What is saved of a draft, everything looked up and rendered. */
export type PreparedPost = {
  /** Names the post among all sources. */
  source: string;
  id: string;
  digest: string;
  /** Who wrote it, and who stored its files. */
  authorId: string | null;
  text: PostText;
  /** The accounts here of people of the source; null for one without. */
  accounts: ReadonlyMap<string, string | null>;
};

/**
 * Saves a post with its comments, likes, old addresses, and where it came from, in one transaction. An update
 * keeps the author, and the date of a post whose source names none; a published one stays published. Returns
 * how many comments and likes came, the files that the post has lost, and notes. Throws {@link
 * ChangedMeanwhile}.
 */
export async function savePost(
  context: WriteContext & { secret: string },
  draft: DraftPost,
  post: PreparedPost,
): Promise<{ lost: string[]; comments: number; likes: number; notes: string[] }> {
  return await inTransaction(context, async trx => {
    const known = await findImported(trx, post.source);
    const before = known && (await findSavedPost(trx, known.target_id));
    if (known !== undefined && before === undefined)
      throw new ChangedMeanwhile('it was deleted in Coterie during the import');
    if (before !== undefined && before.version !== known?.version)
      throw new ChangedMeanwhile('it was edited in Coterie during the import');
    const created_at = draft.date ?? before?.created_at ?? draft.fallbackDate ?? context.clock();
    const published_at = !draft.isDraft || before?.published_at != null ? created_at : null;
    const dates = { created_at, updated_at: draft.editedAt ?? null, published_at };
    let lost: string[] = [];
    if (before) lost = await replacePost(trx, before, dates, post.text);
    else {
      const row = { id: post.id, author_id: post.authorId, save_key: null, ...dates };
      if (!(await insertPost(trx, row, post.text)))
        throw new AppError('already-exists', `there is another post with the id ${post.id}`);
    }
    const version = before ? before.version + 1 : 1;
    await noteImported(trx, {
      source: post.source,
      kind: 'post',
      target_id: post.id,
      digest: post.digest,
      version,
    });
    await saveAddresses(trx, post.id, draft.addresses);
    const comments = await saveComments(trx, context.secret, draft, post);
    const likes = await saveLikes(trx, draft, post);
    const unknownLikes = draft.likes.filter(like => post.accounts.get(like.personId) == null).length;
    const notes =
      unknownLikes === 0 ? [] : [`left out, of people without an account here: likes (${unknownLikes})`];
    return { lost, comments, likes, notes };
  });
}

async function saveAddresses(
  trx: Kysely<Tables>,
  postId: string,
  addresses: readonly string[],
): Promise<void> {
  const written = new Set(addresses.flatMap(address => oldAddress(address) ?? []));
  if (written.size === 0) return;
  await trx
    .insertInto('old_addresses')
    .values([...written].map(address => ({ address, post_id: postId })))
    // The first post keeps it: two posts may have had one address at their source as well.
    .onConflict(conflict => conflict.column('address').doNothing())
    .execute();
}

async function saveComments(
  trx: Kysely<Tables>,
  secret: string,
  { comments }: DraftPost,
  { source, id, accounts }: PreparedPost,
): Promise<number> {
  const named = namedComments(source, comments);
  const known = await alreadyImported(
    trx,
    named.map(({ name }) => name),
  );
  const taken = await takenIds(trx, comments);
  const rows = named
    .filter(({ name }) => !known.has(name))
    .flatMap(({ name, comment, isFirst }) =>
      partsOf(comment.content).map((content, part) => ({
        source: part === 0 ? name : `${name}+${part}`,
        id:
          part === 0 && isFirst && comment.keepId !== undefined && !taken.has(comment.keepId)
            ? comment.keepId
            : importedId(secret, `${name}+${part}`),
        post_id: id,
        user_id: accounts.get(comment.personId ?? '') ?? null,
        author_name: accounts.get(comment.personId ?? '') == null ? (comment.authorName ?? null) : null,
        content,
        // In their order, however many there are of one.
        created_at: comment.time + part,
      })),
    );
  const added = await inBatches(rows, async some => {
    await noteImported(
      trx,
      some.map(row => ({ source: row.source, kind: 'comment', target_id: row.id })),
    );
    return await trx
      .insertInto('comments')
      .values(some.map(({ source: _, ...row }) => row))
      // An id may be taken meanwhile.
      .onConflict(conflict => conflict.doNothing())
      .returning('id')
      .execute();
  });
  await addToCount(trx, id, 'comment_count', added);
  return added;
}

type Comment = DraftPost['comments'][number];
type NamedComment = { name: string; comment: Comment; isFirst: boolean };

/**
 * Comments, each by a name of its own among all sources: the second of an id, or without one, is another
 * comment, unless it says the same at the same time.
 */
function namedComments(source: string, comments: readonly Comment[]): NamedComment[] {
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

/** Ids that programs know these comments by, and that other comments have here. */
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

async function saveLikes(
  trx: Kysely<Tables>,
  { likes }: DraftPost,
  { source, id, accounts }: PreparedPost,
): Promise<number> {
  const sourceOf = (personId: string) => `${source}/likes/${personId}`;
  const known = await alreadyImported(
    trx,
    likes.map(like => sourceOf(like.personId)),
  );
  // Once for a person who liked it twice at the source.
  const times = new Map(likes.map(({ personId, time }) => [personId, time]));
  const rows = [...times].flatMap(([personId, time]) => {
    const user_id = accounts.get(personId);
    if (user_id == null || known.has(sourceOf(personId))) return [];
    return { source: sourceOf(personId), row: { post_id: id, user_id, created_at: time } };
  });
  const added = await inBatches(rows, async some => {
    await noteImported(
      trx,
      some.map(like => ({ source: like.source, kind: 'like', target_id: id })),
    );
    return await trx
      .insertInto('likes')
      .values(some.map(({ row }) => row))
      // Two people of the source can be one account here, and a member may have liked it here since.
      .onConflict(conflict => conflict.doNothing())
      .returning('user_id')
      .execute();
  });
  await addToCount(trx, id, 'like_count', added);
  return added;
}

/** Inserts rows, so many in one statement; `insert` returns those that are new. Returns how many are. */
async function inBatches<Row>(
  rows: readonly Row[],
  insert: (some: readonly Row[]) => Promise<readonly unknown[]>,
): Promise<number> {
  let added = 0;
  for (let start = 0; start < rows.length; start += batch)
    added += (await insert(rows.slice(start, start + batch))).length;
  return added;
}

async function addToCount(
  trx: Kysely<Tables>,
  postId: string,
  column: 'like_count' | 'comment_count',
  added: number,
): Promise<void> {
  if (added === 0) return;
  await trx
    .updateTable('posts')
    .set({ [column]: sql<number>`${sql.ref(column)} + ${added}` })
    .where('id', '=', postId)
    .execute();
}

/** A comment within our limit, or the pieces of a longer one; none for one that says nothing. */
function partsOf(written: string): string[] {
  const text = written.replaceAll(/\r\n?/g, '\n').replaceAll('\0', '').toWellFormed().trim();
  if (!/[^\s\p{Cc}\p{Cf}]/u.test(text)) return [];
  const characters = [...text];
  const parts: string[] = [];
  for (let start = 0; start < characters.length; start += commentMaxCharacters) {
    const part = characters
      .slice(start, start + commentMaxCharacters)
      .join('')
      .trim();
    if (part !== '') parts.push(part);
  }
  return parts;
}
