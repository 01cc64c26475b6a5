import { type Expression, type Kysely, type SqlBool, sql } from 'kysely';
import type { z } from 'zod';
import { pageExcerpt, postsPerPage } from '../../contract/constants.ts';
import { formatDate, moment } from '../../contract/date.ts';
import type { Output } from '../../contract/operations.ts';
import type { FoundPost, Parts, searchOperations } from '../../contract/search.ts';
import { nameWithoutTitle } from '../../contract/text.ts';
import { catalogueOf, isInSets, type TagCatalogue, withAnyTag } from '../access/audience.ts';
import type { ReadContext } from '../access/context.ts';
import { isReadableEntry, readablePosts } from '../access/posts.ts';
import type { Viewer } from '../access/viewer.ts';
import { type ArchiveCache, yearsOf } from '../access/years.ts';
import { spanOf } from '../base/calendar.ts';
import { dialectOf } from '../db/dialect.ts';
import type { Tables } from '../db/tables.ts';
import { beginningOf, excerptOf, markedText } from './excerpt.ts';
import { allOf, findPosts, tagsIn } from './find.ts';
import { findOwnComments } from './own-comments.ts';
import { likelyWords } from './suggest.ts';
import { searchWords } from './words.ts';

/** More years would fill the screen. */
const mostYears = 100;

type SearchRequest = z.output<typeof searchOperations.search.input>;

/**
 * A page of the posts with all words that the viewer may read. Neither the answer nor its order depends on
 * other posts (docs/decisions/0033-search.md).
 */
export async function search(
  deps: ReadContext & ArchiveCache,
  viewer: Viewer,
  request: SearchRequest,
): Promise<Output<'search'>> {
  const { db } = deps;
  const dates = await deps.settings();
  const catalogue = await deps.catalogue();
  const sets = catalogue.readableSets(viewer);
  const years = (await yearsOf(deps, sets, dates.timeZone)).slice(0, mostYears);
  const tags = tagsIn(catalogue, sets);
  const asked = request.tag === undefined ? undefined : catalogue.tagIdOf(request.tag);
  const withTag = tags.find(tag => tag.id === asked)?.id;
  const words = searchWords(request.q);
  const nothing = { posts: [], hasNextPage: false, comments: [], suggestion: null, years };
  const isFiltered =
    request.tag !== undefined ||
    request.type !== undefined ||
    request.year !== undefined ||
    request.withPictures;
  // Filters alone list all that they leave.
  const isListing = isFiltered && request.q.trim() === '';
  // An unknown tag and one that the viewer may not know look the same (decision 3), and take the same
  // time.
  if ((words.length === 0 && !isListing) || (request.tag !== undefined && withTag === undefined))
    return nothing;

  const terms = { words, tags, withTag };
  const readable = isReadableEntry(db, catalogue, viewer);
  const condition = allOf([readable, ...filters(db, request, dates.timeZone)]);
  const offset = (request.page - 1) * postsPerPage;
  const needed = offset + postsPerPage + 1;
  const isFirst = request.page === 1;
  const readPosts = dialectOf(db).postSearch.reading(db, async index => {
    if (isListing) {
      const conditions = [condition];
      if (withTag !== undefined) {
        const sets = withAnyTag(catalogue.sets, [withTag]);
        conditions.push(isInSets(db, sql.ref('entries.tag_set_id'), sets));
      }
      return { found: await index.newest({ condition: allOf(conditions), limit: needed }) };
    }
    // Where nobody posts pictures, each word would be looked for in every post that has it.
    if (request.withPictures && !(await index.hasAny(allOf([readable, hasPictures])))) return { found: [] };
    const { ids, missing } = await findPosts(index, terms, { condition, needed });
    if (ids.length > 0) return { found: ids };
    const likely = await likelyWords(index, words, { missing, condition });
    if (likely === undefined) return { found: [] };
    // Suggested words are whole ones; the reader's own may begin others.
    const whole = new Set(likely.filter(word => !words.includes(word)));
    const { ids: found } = await findPosts(
      index,
      { ...terms, words: likely, whole, areHeld: true },
      { condition, needed },
    );
    return found.length > 0 ? { found, likely } : { found };
  });
  // PostgreSQL does both at once.
  const [read, comments] = await Promise.all([
    readPosts,
    isFirst && !isFiltered ? findOwnComments(deps, viewer, words, dates) : [],
  ]);
  // Where one's own comments hold the words, these are meant.
  const { found, likely } = comments.length > 0 && read.likely ? { found: [] } : read;
  const shown = likely ?? words;
  const ids = found.slice(offset, offset + postsPerPage);
  return {
    ...nothing,
    posts: await describeFound(deps, viewer, catalogue, { ids, words: shown }),
    hasNextPage: found.length > offset + postsPerPage,
    comments,
    suggestion: likely?.join(' ') ?? null,
  };
}

const hasPictures = sql<SqlBool>`entries.has_pictures`;

function filters(
  db: Kysely<Tables>,
  { type, year, withPictures }: SearchRequest,
  timeZone: string,
): Expression<SqlBool>[] {
  const conditions: Expression<SqlBool>[] = [];
  if (type !== undefined) conditions.push(sql<SqlBool>`entries.type = ${type}`);
  if (withPictures) conditions.push(hasPictures);
  if (year !== undefined) {
    const { from, until } = spanOf(year, undefined, timeZone);
    conditions.push(dialectOf(db).postSearch.isBetween(from, until));
  }
  return conditions;
}

/** The posts with these ids, in order, checked against the rule again, because their texts are read here. */
async function describeFound(
  { db, settings }: ReadContext,
  viewer: Viewer,
  known: TagCatalogue,
  { ids, words }: { ids: readonly string[]; words: readonly string[] },
): Promise<FoundPost[]> {
  if (ids.length === 0) return [];
  const { inList } = dialectOf(db);
  const dates = await settings();
  const rows = await readablePosts(db, known, viewer)
    .select(['posts.id', 'posts.type', 'posts.title', 'posts.description', 'posts.text'])
    .select(['posts.tag_set_id', 'posts.published_at'])
    .where(inList(sql.ref('posts.id'), ids))
    .execute();
  const attachments = await db
    .selectFrom('attachments')
    .innerJoin('posts', 'posts.id', 'attachments.post_id')
    .select(['attachments.post_id', 'attachments.name', 'attachments.description', 'attachments.alt'])
    .select('posts.tag_set_id')
    .where(inList(sql.ref('attachments.post_id'), ids))
    .orderBy('attachments.position')
    .execute();
  const catalogue = await catalogueOf(db, known, rows);
  const byId = new Map(rows.map(row => [row.id, row]));
  return ids.flatMap(id => {
    const row = byId.get(id);
    if (row === undefined) return [];
    // A post whose combination of tags has changed since may have attachments that its reader may not see.
    const attached = attachments.filter(file => file.post_id === id && file.tag_set_id === row.tag_set_id);
    const publishedOn = formatDate(moment(row.published_at), dates);
    const texts = [
      row.description ?? '',
      row.text,
      ...attached.flatMap(({ description, alt }) => [description ?? '', alt ?? '']),
    ];
    return [
      {
        id,
        type: row.type,
        title: row.title === null ? null : markedText(row.title, words),
        excerpt:
          excerptIn([...texts, ...attached.map(({ name }) => name)], words) ??
          beginningOf(nameWithoutTitle(texts.find(text => text !== '') ?? '', pageExcerpt, publishedOn)),
        tags: catalogue.namesOf(row.tag_set_id),
        isDraft: row.published_at === null,
        publishedOn,
      },
    ];
  });
}

/** The first of these texts with one of the words, from that sentence on. */
function excerptIn(texts: readonly string[], words: readonly string[]): Parts | undefined {
  for (const text of texts) {
    const excerpt = excerptOf(text, words);
    if (excerpt !== undefined) return excerpt;
  }
  return undefined;
}
