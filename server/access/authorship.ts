import type { ExpressionBuilder } from 'kysely';
import type { Tables } from '../db/tables.ts';
import type { TagSet } from './audience.ts';

/**
 * The least and the greatest id of those who wrote the published posts of a combination: equal where one
 * account alone did, null where none is known. Of several combinations together they still tell whether there
 * was more than one.
 */
export type AuthorSpan = readonly [least: string, greatest: string] | null;

/** Whether several accounts wrote some posts, or who alone did; null where no account is known. */
export type Authorship = { areSeveral: true } | { areSeveral: false; sole: string | null };

/**
 * The authors of the published posts of a combination, as columns of `tag_sets`: two look-ups in an index,
 * however many posts there are.
 */
export function authorSpans(eb: ExpressionBuilder<Tables, 'tag_sets'>) {
  const published = eb
    .selectFrom('posts')
    .whereRef('posts.tag_set_id', '=', 'tag_sets.id')
    .where('posts.published_at', 'is not', null)
    // The index contains this condition, so posts without an author are skipped.
    .where('posts.author_id', 'is not', null);
  return [
    published.select(({ fn }) => fn.min('posts.author_id').as('id')).as('least'),
    published.select(({ fn }) => fn.max('posts.author_id').as('id')).as('greatest'),
  ] as const;
}

const known = new WeakMap<readonly TagSet[], Authorship>();

/**
 * Who wrote the published posts of these combinations. It is called with those that a viewer may read:
 * somebody who may read posts of one author only is not told that there are others
 * (docs/decisions/0022-authors.md).
 */
export function authorshipOf(sets: readonly TagSet[]): Authorship {
  const found = known.get(sets) ?? readAuthorship(sets);
  known.set(sets, found);
  return found;
}

function readAuthorship(sets: readonly TagSet[]): Authorship {
  const ids = new Set(sets.flatMap(({ authors }) => authors ?? []));
  if (ids.size > 1) return { areSeveral: true };
  const [sole = null] = ids;
  return { areSeveral: false, sole };
}

/**
 * Whether a post shows its author to those who may read the posts of this authorship. A draft of a second
 * author does, too.
 */
export function namesAuthor(authorship: Authorship, authorId: string | null): boolean {
  if (authorId === null) return false;
  return authorship.areSeveral || (authorship.sole !== null && authorship.sole !== authorId);
}

/** The part of a cache key that says for which authorship an entry was made. */
export function nameOfAuthorship(authorship: Authorship): string {
  return authorship.areSeveral ? 'several authors' : `author ${authorship.sole}`;
}
