import { setImmediate as letOthersGoOn } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { namedReaders } from '../../contract/constants.ts';
import type { Effect, PostEffect, Readers, Readership } from '../../contract/effects.ts';
import { AppError } from '../../contract/errors.ts';
import type { Tables } from '../db/tables.ts';
import {
  isInSets,
  mayRead,
  neededTags,
  type Reader,
  readersAmong,
  type TagCatalogue,
  type TagSet,
  tagRefs,
} from './audience.ts';
import type { ReadContext } from './context.ts';
import { holdersOf, type MemberGroup, tagIdsIn } from './user-counts.ts';
import { type Viewer, viewerOfUser, visitor } from './viewer.ts';

/** Everything that effects on members are computed from, besides the tags. */
export type MemberContext = ReadContext & { memberGroups: () => Promise<readonly MemberGroup[]> };

/** Who may read a published post with these tags. */
export async function describeAudience(deps: MemberContext, names: readonly string[]): Promise<Readership> {
  const catalogue = await deps.catalogue();
  const groups = await deps.memberGroups();
  const { isPublic, mayBeReadBy } = audienceOf(catalogue, names);
  return {
    isPublic,
    memberCount: countMembers(groups.filter(mayBeReadBy)),
    memberTotal: countMembers(groups),
    restrictedBy: names.filter(name => !catalogue.defaultTagIds.has(catalogue.tagIdOf(name) ?? '')),
  };
}

/** The names of the members whom {@link describeAudience} counts; for admins, who see the list of members. */
export async function listReaders(deps: MemberContext, names: readonly string[]): Promise<Readers> {
  const { memberCount: total } = await describeAudience(deps, names);
  const catalogue = await deps.catalogue();
  const tagIds = names.flatMap(name => catalogue.tagIdOf(name) ?? []);
  if (total === 0 || tagIds.length < names.length) return { names: [], total };
  const needed = neededTags(tagIds, catalogue.defaultTagIds);
  const rows = await deps.db
    .selectFrom('users')
    .select(['name', 'display_username'])
    .where('status', '=', 'approved')
    .where('is_admin', '=', false)
    .where(({ and, exists, selectFrom }) =>
      and(
        needed.map(tagId =>
          exists(
            selectFrom('approved_tags')
              .select('user_id')
              .whereRef('user_id', '=', 'users.id')
              .where('tag_id', '=', tagId),
          ),
        ),
      ),
    )
    .orderBy(sql`lower(name)`)
    .orderBy('id')
    .limit(namedReaders)
    .execute();
  return { names: rows.map(({ name, display_username }) => name || display_username), total };
}

/** Who would gain and lose a published post if these tags replaced those. */
export async function previewPostTags(
  deps: MemberContext,
  before: readonly string[],
  after: readonly string[],
): Promise<PostEffect> {
  const catalogue = await deps.catalogue();
  const groups = await deps.memberGroups();
  const then = audienceOf(catalogue, before);
  const now = audienceOf(catalogue, after);
  return {
    wasPublic: then.isPublic,
    isPublic: now.isPublic,
    membersGained: countMembers(groups.filter(group => now.mayBeReadBy(group) && !then.mayBeReadBy(group))),
    membersLost: countMembers(groups.filter(group => then.mayBeReadBy(group) && !now.mayBeReadBy(group))),
  };
}

/**
 * Whether everybody may read published posts with these tags, and whether the members of a group may. Nobody
 * holds a tag that does not exist yet.
 */
function audienceOf(
  catalogue: TagCatalogue,
  names: readonly string[],
): { isPublic: boolean; mayBeReadBy(group: MemberGroup): boolean } {
  const tagIds = names.map(name => catalogue.tagIdOf(name));
  if (!tagIds.every(id => id !== undefined)) return { isPublic: false, mayBeReadBy: () => false };
  const needed = neededTags(tagIds, catalogue.defaultTagIds);
  const isReader = (viewer: Reader) => mayRead(viewer, { isPublished: true, tagIds: needed });
  return {
    isPublic: isReader(visitor(catalogue.defaultTagIds)),
    mayBeReadBy: ({ tags }) => isReader({ user: null, role: 'member', tagIds: holdersOf(tags) }),
  };
}

function countMembers(groups: readonly MemberGroup[]): number {
  return groups.reduce((sum, group) => sum + group.members, 0);
}

/**
 * The published posts that an account would gain and lose if it were approved with these tags, and whether
 * its email address is confirmed. Throws not-found for an account that does not exist, invalid-argument for
 * an unknown tag.
 */
export async function previewApprovedTags(
  deps: ReadContext,
  userId: string,
  names: readonly string[],
): Promise<Effect & { isEmailConfirmed: boolean }> {
  const catalogue = await deps.catalogue();
  const before = await viewerOfUser(deps.db, userId, catalogue.defaultTagIds);
  if (before.user === null) throw new AppError('not-found', 'User not found.');
  const approved = catalogue.tagIdsOf(tagRefs(names, undefined));
  const after: Viewer = {
    user: before.user,
    role: before.role === 'admin' ? 'admin' : 'member',
    tagIds: new Set([...catalogue.defaultTagIds, ...approved]),
  };
  const { gained, lost } = changedSets(catalogue.readableSets(before), catalogue.readableSets(after));
  // Authors read their own posts whatever the tags, so these are neither gained nor lost.
  const own = before.role === 'author' ? await publishedBy(deps.db, userId, [...gained, ...lost]) : undefined;
  const countOthers = (sets: readonly TagSet[]) =>
    sets.reduce((sum, set) => sum + set.publishedCount - (own?.get(set.id) ?? 0), 0);
  return {
    gained: countOthers(gained),
    lost: countOthers(lost),
    isEmailConfirmed: before.user.isEmailConfirmed,
  };
}

/** How many posts an author has published in each of these combinations of tags, by the combination's id. */
async function publishedBy(db: Kysely<Tables>, authorId: string, sets: readonly TagSet[]) {
  const rows = await db
    .selectFrom('posts')
    .select(['tag_set_id', eb => eb.fn.countAll<number>().as('posts')])
    .where('author_id', '=', authorId)
    .where('published_at', 'is not', null)
    .where(isInSets(db, sql.ref('tag_set_id'), sets))
    .groupBy('tag_set_id')
    .execute();
  return new Map(rows.map(row => [row.tag_set_id, row.posts]));
}

/**
 * The published posts that a new member with these tags reads and a visitor does not. Throws invalid-argument
 * for an unknown tag.
 */
export async function previewNewMember(
  { catalogue }: ReadContext,
  names: readonly string[],
): Promise<{ gained: number }> {
  const tags = await catalogue();
  const tagIds = new Set([...tags.defaultTagIds, ...tags.tagIdsOf(tagRefs(names, undefined))]);
  const open = tags.readableSets(visitor(tags.defaultTagIds));
  return { gained: effectOf(open, tags.readableSets({ user: null, role: 'member', tagIds })).gained };
}

/**
 * The published posts that visitors would gain and lose by these default tags, and those that members would,
 * among posts that stay closed to visitors. Throws invalid-argument for an unknown tag.
 */
export async function previewDefaultTags(
  deps: MemberContext,
  names: readonly string[],
): Promise<{ visitors: Effect; members: Effect }> {
  const catalogue = await deps.catalogue();
  const before = catalogue.defaultTagIds;
  const after: ReadonlySet<string> = new Set(catalogue.tagIdsOf(tagRefs(names, undefined)));
  const changed = new Set([...before, ...after].filter(id => before.has(id) !== after.has(id)));
  const then = catalogue.readableSets(visitor(before));
  const now = catalogue.readableSets(visitor(after));
  const open = new Set([...then, ...now]);
  const closed = catalogue.sets.filter(
    set => set.publishedCount > 0 && set.tagIds.some(id => changed.has(id)) && !open.has(set),
  );
  return {
    visitors: effectOf(then, now),
    members: await effectOnMembers(await deps.memberGroups(), closed, before, after),
  };
}

async function effectOnMembers(
  groups: readonly MemberGroup[],
  sets: readonly TagSet[],
  before: ReadonlySet<string>,
  after: ReadonlySet<string>,
): Promise<Effect> {
  const holders = await holdersAmong(groups, [...new Set(sets.flatMap(set => set.tagIds))]);
  const readersOf = ({ tagIds }: TagSet, defaults: ReadonlySet<string>) =>
    readersAmong(holders, tagIds, defaults);
  const gained = sets.filter(set => (readersOf(set, after) & ~readersOf(set, before)) !== 0n);
  const lost = sets.filter(set => (readersOf(set, before) & ~readersOf(set, after)) !== 0n);
  return { gained: countPosts(gained), lost: countPosts(lost) };
}

/** How many groups are processed before other requests get a turn: they share this thread. */
export const groupsAtOnce = 2_000;

/**
 * The members who hold each of these tags, with one bit for each group of members, so that one operation
 * compares all groups with a combination of tags.
 */
export async function holdersAmong(
  groups: readonly MemberGroup[],
  tagIds: readonly string[],
): Promise<Map<string, bigint>> {
  const places = new Map(tagIds.map(id => [id, [] as number[]]));
  for (const [place, group] of groups.entries()) {
    for (const id of tagIdsIn(group.tags)) places.get(id)?.push(place);
    if (place % groupsAtOnce === groupsAtOnce - 1) await letOthersGoOn();
  }
  return new Map([...places].map(([id, held]) => [id, bitsOf(held, groups.length)]));
}

/** A number of `size` bits in which the bits at these places are set. */
function bitsOf(places: readonly number[], size: number): bigint {
  const bytes = Buffer.alloc((size >> 3) + 1);
  for (const place of places) bytes[place >> 3] = (bytes[place >> 3] ?? 0) | (1 << (place & 7));
  return BigInt(`0x${bytes.toString('hex')}`);
}

function countPosts(sets: readonly TagSet[]): number {
  return sets.reduce((sum, set) => sum + set.publishedCount, 0);
}

function changedSets(before: readonly TagSet[], after: readonly TagSet[]) {
  const then = new Set(before);
  const now = new Set(after);
  return { gained: after.filter(set => !then.has(set)), lost: before.filter(set => !now.has(set)) };
}

function effectOf(before: readonly TagSet[], after: readonly TagSet[]): Effect {
  const { gained, lost } = changedSets(before, after);
  return { gained: countPosts(gained), lost: countPosts(lost) };
}
