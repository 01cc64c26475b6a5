import type { Expression, Kysely, SqlBool } from 'kysely';
import { tagMaxCharacters } from '../../contract/constants.ts';
import { AppError } from '../../contract/errors.ts';
import { tagKey } from '../../contract/tag-name.ts';
import { inAlphabeticalOrder } from '../../contract/text.ts';
import { cached } from '../db/changes/cache.ts';
import type { ChangeRecord } from '../db/changes/record.ts';
import { dialectOf } from '../db/dialect.ts';
import type { Tables } from '../db/tables.ts';
import type { Viewer } from './viewer.ts';

/** The part of a viewer that the rule depends on. */
export type Reader = Pick<Viewer, 'role' | 'user'> & { tagIds: Pick<ReadonlySet<string>, 'has'> };

export type RuledPost = {
  isPublished: boolean;
  tagIds: readonly string[];
  /** Left out if the question is about all posts with these tags, whoever wrote them. */
  authorId?: string | null;
};

/**
 * The one access rule (specification section 6). A viewer may read a post when it is published and every one
 * of its tags is in the viewer's approved tags or the default tags; an untagged post is open to all. Authors
 * read their own posts, drafts included, and admins everything (docs/decisions/0022-authors.md).
 */
export function mayRead(viewer: Reader, post: RuledPost): boolean {
  if (post.authorId !== undefined && mayEdit(viewer, post.authorId)) return true;
  if (viewer.role === 'admin') return true;
  return post.isPublished && post.tagIds.every(tag => viewer.tagIds.has(tag));
}

/**
 * Who may change and delete a post, and see it as a draft: its author, unless they are no longer one, and
 * every admin.
 */
export function mayEdit(viewer: Pick<Viewer, 'role' | 'user'>, authorId: string | null): boolean {
  if (viewer.role === 'admin') return true;
  return viewer.role === 'author' && viewer.user?.id === authorId;
}

/** Why a viewer may not read a post. A draft of somebody else is reported as not found (decision 7). */
export type Refusal = 'not-found' | 'permission-denied';

export type ReadDecision = {
  /** Undefined for a viewer who may read the post. */
  refusal: Refusal | undefined;
  /** Whether visitors may read it too, so that shared caches may keep it. */
  isPublic: boolean;
};

/**
 * The rule with the reason of a refusal, and whether shared caches may keep the post. No surface decides this
 * again.
 */
export function decideRead(
  viewer: Reader,
  defaultTagIds: ReadonlySet<string>,
  post: Required<RuledPost>,
): ReadDecision {
  if (mayRead({ user: null, role: 'visitor', tagIds: defaultTagIds }, post))
    return { refusal: undefined, isPublic: true };
  if (mayRead(viewer, post)) return { refusal: undefined, isPublic: false };
  return { refusal: post.isPublished ? 'permission-denied' : 'not-found', isPublic: false };
}

const keysOfTags = new WeakMap<ReadonlySet<string>, string>();
/** The same text for equal sets of tags. */
export function keyOfTags(tagIds: ReadonlySet<string>): string {
  const known = keysOfTags.get(tagIds);
  if (known !== undefined) return known;
  const key = [...tagIds].sort().join();
  keysOfTags.set(tagIds, key);
  return key;
}

/** One combination of tags that posts carry. Its tags never change; the count of its posts does. */
export type TagSet = { id: number; tagIds: readonly string[]; publishedCount: number };

/** A tag as a caller names it, and the id that they saw beside the name; null if they sent none. */
export type TagRef = { name: string; seenId: string | null };

/** Pairs the names of a call with the ids that it has beside them. */
export function tagRefs(names: readonly string[], seenIds: readonly (string | null)[] | undefined): TagRef[] {
  return names.map((name, index) => ({ name, seenId: seenIds?.[index] ?? null }));
}

export type TagEntry = { id: string; name: string; key: string; isListed: boolean };

/**
 * The tags of the site and the combinations in which posts carry them. It is small, and every request uses
 * it.
 */
export class TagCatalogue {
  readonly tags: ReadonlyMap<string, TagEntry>;
  readonly defaultTagIds: ReadonlySet<string>;
  readonly sets: readonly TagSet[];
  readonly publishedCount: number;
  readonly #setsById: ReadonlyMap<number, TagSet>;
  readonly #idsByKey: ReadonlyMap<string, string>;
  readonly #readableSets = new Map<string, readonly TagSet[]>();

  constructor(tags: readonly TagEntry[], defaultTagIds: ReadonlySet<string>, sets: readonly TagSet[]) {
    this.tags = new Map(tags.map(tag => [tag.id, tag]));
    this.#idsByKey = new Map(tags.map(tag => [tag.key, tag.id]));
    this.defaultTagIds = defaultTagIds;
    this.sets = sets;
    this.#setsById = new Map(sets.map(set => [set.id, set]));
    this.publishedCount = sets.reduce((sum, set) => sum + set.publishedCount, 0);
  }

  /** The id of a tag by any spelling of its name; undefined when there is none. */
  tagIdOf(name: string): string | undefined {
    // Longer names cannot be tags. Anybody may send one, and normalising takes time with the square of its
    // length.
    return name.length > 4 * tagMaxCharacters ? undefined : this.#idsByKey.get(tagKey(name));
  }

  /**
   * The ids of tags by name, deleted ones included. Throws invalid-argument for an unknown name, and
   * failed-precondition if a name no longer belongs to the id that the caller saw beside it, so that an admin
   * never grants a tag that was renamed meanwhile.
   */
  tagIdsOf(tags: readonly TagRef[]): string[] {
    return tags.map(({ name, seenId }) => {
      const id = this.tagIdOf(name);
      if (seenId !== null && seenId !== id) {
        throw new AppError(
          'failed-precondition',
          `The tag “${name}” has been renamed in the meantime. Please reload the page.`,
        );
      }
      if (id === undefined) throw new AppError('invalid-argument', `There is no tag “${name}”.`);
      return id;
    });
  }

  /**
   * The ids of a combination's tags. Throws for a combination that the catalogue lacks: an empty list would
   * mean that the post is public.
   */
  tagIdsIn(tagSetId: number): readonly string[] {
    const set = this.#setsById.get(tagSetId);
    if (set === undefined) throw new Error(`There is no combination of tags ${tagSetId}.`);
    return set.tagIds;
  }

  /** Whether a combination existed when the catalogue was loaded. */
  has(tagSetId: number): boolean {
    return this.#setsById.has(tagSetId);
  }

  /** How many published posts carry a combination. */
  publishedIn(tagSetId: number): number {
    return this.#setsById.get(tagSetId)?.publishedCount ?? 0;
  }

  /** The names of a combination, in alphabetical order. */
  namesOf(tagSetId: number): string[] {
    return this.#sortedTags(tagSetId).map(({ name }) => name);
  }

  /** The ids of a combination's tags, in the order of {@link namesOf}. */
  sortedIdsOf(tagSetId: number): string[] {
    return this.#sortedTags(tagSetId).map(({ id }) => id);
  }

  #sortedTags(tagSetId: number): { id: string; name: string }[] {
    const tags = this.tagIdsIn(tagSetId).map(id => ({ id, name: this.tags.get(id)?.name ?? '' }));
    return tags.sort((a, b) => inAlphabeticalOrder(a.name, b.name));
  }

  /**
   * The combinations whose published posts the viewer may read. The same array for the same rights; the rule
   * decides once for each combination.
   */
  readableSets(viewer: Viewer): readonly TagSet[] {
    if (viewer.role === 'admin') return this.sets;
    const key = keyOfTags(viewer.tagIds);
    const known = this.#readableSets.get(key);
    if (known !== undefined) return known;
    const readable = this.sets.filter(set => mayRead(viewer, { isPublished: true, tagIds: set.tagIds }));
    // The keys are the distinct rights of members and of previews, and dropped with the catalogue.
    if (this.#readableSets.size < 10_000) this.#readableSets.set(key, readable);
    return readable;
  }
}

/** Those of these combinations that have any of the tags; an unknown name has no id. */
export function withAnyTag(
  sets: readonly TagSet[],
  tagIds: readonly (string | undefined)[],
): readonly TagSet[] {
  const wanted = new Set(tagIds);
  return sets.filter(set => set.tagIds.some(id => wanted.has(id)));
}

/** Loads the catalogue, and loads it again when tags, combinations or default tags have changed. */
export function tagCatalogue(db: Kysely<Tables>, changes: ChangeRecord): () => Promise<TagCatalogue> {
  return cached(changes, dependsOn => {
    dependsOn('tags', 'published');
    return loadTagCatalogue(db);
  });
}

/**
 * The catalogue with the combinations of these posts. Loaded again if it lacks one, because a save has added
 * it meanwhile.
 */
export async function catalogueOf(
  db: Kysely<Tables>,
  known: TagCatalogue,
  posts: readonly { tag_set_id: number }[],
): Promise<TagCatalogue> {
  return posts.every(post => known.has(post.tag_set_id)) ? known : await loadTagCatalogue(db);
}

/**
 * The catalogue as this database or transaction has it now. Combinations are read first, and their tags after
 * them. In the other order a combination that is committed between the two queries would have no tags, and
 * its posts would be open to all.
 */
export async function loadTagCatalogue(db: Kysely<Tables>): Promise<TagCatalogue> {
  const sets = await db.selectFrom('tag_sets').select(['id', 'key', 'published_count']).execute();
  const [setTags, tags, defaults] = await Promise.all([
    db.selectFrom('tag_set_tags').selectAll().execute(),
    db.selectFrom('tags').selectAll().execute(),
    db.selectFrom('default_tags').select('tag_id').execute(),
  ]);
  const tagIds = new Map<number, string[]>(sets.map(set => [set.id, []]));
  for (const { tag_set_id, tag_id } of setTags) tagIds.get(tag_set_id)?.push(tag_id);
  return new TagCatalogue(
    tags.map(({ id, name, key, is_listed }) => ({ id, name, key, isListed: Boolean(is_listed) })),
    new Set(defaults.map(row => row.tag_id)),
    sets
      // One that was deleted between the two queries would seem to be open to all.
      .filter(({ id, key }) => key === '' || tagIds.get(id)?.length !== 0)
      .map(set => ({
        id: set.id,
        tagIds: tagIds.get(set.id) ?? [],
        publishedCount: set.published_count,
      })),
  );
}

/**
 * The rule as a condition on `posts`: the row's combination is one of those that the viewer may read. {@link
 * mayRead} decides about the combinations; SQL only looks them up. When another process has just added a
 * combination, this catalogue can lack it for a moment. It never allows too much, because combinations do not
 * change.
 */
export function isInSets(
  db: Kysely<Tables>,
  tagSetId: Expression<unknown>,
  sets: readonly TagSet[],
): Expression<SqlBool> {
  return dialectOf(db).inList(
    tagSetId,
    sets.map(set => set.id),
  );
}

const idsOfSets = new WeakMap<readonly TagSet[], string>();

/** The ids of combinations as a cache key: it names the viewers who may read exactly these. */
export function idsOf(sets: readonly TagSet[]): string {
  const known = idsOfSets.get(sets);
  if (known !== undefined) return known;
  const ids = sets.map(set => set.id).join();
  idsOfSets.set(sets, ids);
  return ids;
}

/**
 * The rule for many members at once. `holders` has a number for each tag, in which the bit of each member (or
 * group of members) who holds the tag is set. In the number returned, the bits of those who may read
 * published posts with these tags are set. At least one of the tags must not be a default tag.
 */
export function readersAmong(
  holders: ReadonlyMap<string, bigint>,
  tagIds: readonly string[],
  defaultTagIds: ReadonlySet<string>,
): bigint {
  return neededTags(tagIds, defaultTagIds)
    .map(id => holders.get(id) ?? 0n)
    .reduce((all, some) => all & some);
}

/** What a member must hold to read posts with these tags. */
export function neededTags(tagIds: readonly string[], defaultTagIds: ReadonlySet<string>): string[] {
  return [...new Set(tagIds)].filter(id => !defaultTagIds.has(id));
}
