import type { Kysely } from 'kysely';
import { digestOf } from '../../base/secrets.ts';
import type { ImportedRow, Tables } from '../../db/tables.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { DraftItem, DraftPost, Source, UnsureSource } from './draft.ts';
import { heldBack } from './held-back.ts';
import { alreadyImported, findImported, importedId, isOfSource, noteImported } from './imported.ts';
import { readDigest } from './noted-digest.ts';
import { discardFiles, findPostFiles, type ImportContext } from './post-files.ts';
import { digestOfDraft } from './render-draft.ts';
import { storableItem } from './storable.ts';

/**
 * The number of posts that are compared with those of an earlier import, and that a new source's name is made
 * from.
 */
const compared = 30;
const named = 20;
/** At the same place, this many posts that all differ belong to another source. */
const contradictions = 3;
const comparedCharacters = 20_000;
/** The share of words that two versions of one text have in common. */
const similarWords = 0.5;

/** The name under which a source is recorded; its digest is that of its last place. */
const noteOf = (name: string) => `source:${name}`;

/**
 * The unique name of a source: that of an earlier import of the same one, or a new one. Posts of two folders
 * may have the same paths, and those of two sites the same numbers; only their texts tell whether they are
 * the same. An earlier import is the same source if at least half of the posts with common ids are the same,
 * or if it was at the same place and not all differ. (docs/decisions/0026-the-identity-of-a-source.md)
 */
export async function nameOfSource(context: ImportContext, source: Source): Promise<string> {
  const { unsure } = source;
  if (unsure === undefined) return source.name;
  const known = await knownNames(context.db, unsure);
  const place = placeDigest(unsure);
  let best: { name: string; score: number } | undefined;
  for (const name of new Set([...known.keys(), source.name])) {
    const counts = await compare(context, unsure, name);
    const isAtPlace = place !== '' && known.get(name) === place;
    const score = scoreOf(counts, isAtPlace);
    if (score > (best?.score ?? 0)) best = { name, score };
  }
  return best?.name ?? (await newName(unsure));
}

/** Records the place of a source, once something of it was imported. */
export async function noteSource(context: ImportContext, name: string, unsure: UnsureSource): Promise<void> {
  const note = {
    source: noteOf(name),
    kind: 'settings',
    target_id: '',
    digest: placeDigest(unsure),
  } as const;
  await inTransaction(context, trx => noteImported(trx, note));
}

const placeDigest = ({ place }: UnsureSource) => (place === undefined ? '' : digestOf(place));

/** The digests of the places of imported sources of this kind, by their names. */
async function knownNames(db: Kysely<Tables>, { kind }: UnsureSource): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom('imported')
    .select(['source', 'digest'])
    .where('kind', '=', 'settings')
    .where('source', 'like', 'source:%')
    .execute();
  const names = rows.map(row => [row.source.slice(noteOf('').length), row.digest] as const);
  return new Map(
    names.filter(([name]) => name.startsWith(`${kind}:`) || (name === '' && kind === 'markdown')),
  );
}

type Counts = { same: number; different: number; unknown: number };

function scoreOf({ same, different, unknown }: Counts, isAtPlace: boolean): number {
  if (isAtPlace && (same > 0 || different < contradictions)) return Number.POSITIVE_INFINITY;
  // All of them were deleted here: nothing of the other source can be overwritten, and they must not come
  // back.
  if (same + different === 0) return unknown > 0 ? 0.5 : 0;
  return same >= different ? same : 0;
}

async function compare(context: ImportContext, unsure: UnsureSource, name: string): Promise<Counts> {
  const nameOf = (id: string) => (name === '' ? id : `${name}/${id}`);
  const imported = await alreadyImported(context.db, unsure.ids.map(nameOf));
  const shared = unsure.ids.filter(id => imported.has(nameOf(id))).slice(0, compared);
  const counts: Counts = { same: 0, different: 0, unknown: 0 };
  // Only posts of our own Markdown export are known by more than their places in the source.
  if (shared.length === 0 && unsure.kind !== 'markdown') return counts;
  const ids = shared.length > 0 ? shared : unsure.ids.slice(0, compared);
  for await (const item of unsure.posts(new Set(ids))) {
    const post = heldBack(storableItem(item), context.clock());
    if (post.kind !== 'post') continue;
    const known =
      shared.length > 0
        ? await findImported(context.db, nameOf(post.id))
        : await findRenamed(context.db, name, post);
    if (known !== undefined) counts[await isSame(context, post, known, nameOf)] += 1;
  }
  return counts;
}

/** The record of an exported post under any name of that source: exports may name all folders anew. */
async function findRenamed(
  db: Kysely<Tables>,
  source: string,
  { keepId }: DraftPost,
): Promise<ImportedRow | undefined> {
  if (keepId === undefined) return undefined;
  const rows = await db
    .selectFrom('imported')
    .selectAll()
    .where('kind', '=', 'post')
    .where('target_id', '=', keepId)
    .execute();
  return rows.find(row => isOfSource(row.source, source));
}

/**
 * Whether a post of a source is the one that was imported under its id: by its whole content, or by its
 * words.
 */
async function isSame(
  context: ImportContext,
  post: DraftPost,
  known: ImportedRow,
  nameOf: (id: string) => string,
): Promise<keyof Counts> {
  const found = await findPostFiles(context, post, id => `/post/${importedId(context.secret, nameOf(id))}`);
  await discardFiles(found);
  if (readDigest(known.digest).whole === digestOfDraft(post, found)) return 'same';
  const here = await context.db
    .selectFrom('posts')
    .select(['title', 'content', 'created_at'])
    .where('id', '=', known.target_id)
    .executeTakeFirst();
  if (here === undefined) return 'unknown';
  const isDated = post.date !== undefined && post.date === here.created_at;
  if (isDated && post.title !== undefined && post.title === here.title) return 'same';
  return areSimilar(post.content, here.content) ? 'same' : 'different';
}

/** Whether two texts have most of their words in common, in any language. */
function areSimilar(one: string, other: string): boolean {
  const a = wordsOf(one);
  const b = wordsOf(other);
  const common = [...a].filter(word => b.has(word)).length;
  return common > 0 && common >= similarWords * (a.size + b.size - common);
}

function wordsOf(text: string): Set<string> {
  const segments = new Intl.Segmenter(undefined, { granularity: 'word' }).segment(
    text.slice(0, comparedCharacters).toLowerCase(),
  );
  return new Set([...segments].flatMap(({ segment, isWordLike }) => (isWordLike ? segment : [])));
}

/** By the first posts, so that an import that was interrupted at its beginning gets the same name again. */
async function newName(unsure: UnsureSource): Promise<string> {
  const ids = unsure.ids.slice(0, named);
  const texts: DraftItem[] = [];
  for await (const item of unsure.posts(new Set(ids))) texts.push(item);
  const words = texts.map(item => (item.kind === 'post' ? [item.id, item.title, item.content] : [item.kind]));
  return `${unsure.kind}:${digestOf(JSON.stringify([unsure.ids.length === 0 ? unsure.place : '', words])).slice(0, 12)}`;
}
