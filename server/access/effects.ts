import { setImmediate as letOthersGoOn } from 'node:timers/promises';
import { type Expression, expressionBuilder, type Kysely, type SqlBool, sql } from 'kysely';
import type { Effect, PostEffect, Readership } from '../../contract/effects.ts';
import { AppError } from '../../contract/errors.ts';
import { dialectOf } from '../db/dialect.ts';
import type { Tables } from '../db/tables.ts';
import type { ReadDeps } from '../deps.ts';
import { isReaderOf, mayRead, readersAmong, type TagCatalogue, type TagSet } from './audience.ts';
import { type Viewer, viewerOfUser, visitor } from './viewer.ts';

/** Who may read a published post with these tags. A name that is no tag yet is one that nobody has been granted. */
export async function describeAudience(deps: ReadDeps, names: readonly string[]): Promise<Readership> {
  const { db } = deps;
  const catalogue = await deps.catalogue();
  const { defaultTagIds } = catalogue;
  const restrictedBy = names.filter(name => !defaultTagIds.has(catalogue.tagIdOf(name) ?? ''));
  const [memberTotal, memberCount] = await Promise.all([
    countUsers(db, readersOf(db, catalogue, [])),
    countUsers(db, readersOf(db, catalogue, names)),
  ]);
  return { isPublic: isPublic(catalogue, names), memberCount, memberTotal, restrictedBy };
}

/** Who would gain and lose a published post by these tags instead of those. */
export async function previewPostTags(
  deps: ReadDeps,
  before: readonly string[],
  after: readonly string[],
): Promise<PostEffect> {
  const { db } = deps;
  const catalogue = await deps.catalogue();
  const { and, not } = expressionBuilder<Tables, 'users'>();
  const [then, now] = [readersOf(db, catalogue, before), readersOf(db, catalogue, after)];
  const [membersGained, membersLost] = await Promise.all([
    countUsers(db, and([now, not(then)])),
    countUsers(db, and([then, not(now)])),
  ]);
  return {
    wasPublic: isPublic(catalogue, before),
    isPublic: isPublic(catalogue, after),
    membersGained,
    membersLost,
  };
}

/** The ids of tags; undefined where one is no tag yet, so that nobody may read what carries it. */
function idsOf(catalogue: TagCatalogue, names: readonly string[]): string[] | undefined {
  const ids = names.map(name => catalogue.tagIdOf(name)).filter(id => id !== undefined);
  return ids.length === names.length ? ids : undefined;
}

function isPublic(catalogue: TagCatalogue, names: readonly string[]): boolean {
  const tagIds = idsOf(catalogue, names);
  return tagIds !== undefined && mayRead(visitor(catalogue.defaultTagIds), { isPublished: true, tagIds });
}

/** Members who may read a published post with these tags, as a condition on `users`. */
function readersOf(
  db: Kysely<Tables>,
  catalogue: TagCatalogue,
  names: readonly string[],
): Expression<SqlBool> {
  const tagIds = idsOf(catalogue, names);
  return tagIds === undefined ? sql<SqlBool>`1 = 0` : isReaderOf(db, tagIds, catalogue.defaultTagIds);
}

async function countUsers(db: Kysely<Tables>, condition: Expression<SqlBool>): Promise<number> {
  const { count } = await db
    .selectFrom('users')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where(condition)
    .executeTakeFirstOrThrow();
  return count;
}

/**
 * What an account would gain and lose if it were approved with these tags, in published posts, and whether it is known to
 * read its mailbox. Throws not-found for an
 * account that does not exist, invalid-argument for a name that is no tag.
 */
export async function previewApprovedTags(
  deps: ReadDeps,
  userId: string,
  names: readonly string[],
): Promise<Effect & { isEmailConfirmed: boolean }> {
  const catalogue = await deps.catalogue();
  const account = await deps.db
    .selectFrom('users')
    .select('email_verified')
    .where('id', '=', userId)
    .executeTakeFirst();
  const before = await viewerOfUser(deps.db, userId, catalogue.defaultTagIds);
  if (before.user === null) throw new AppError('not-found', 'User not found.');
  const approved = catalogue.tagIdsOf(names);
  const after: Viewer = {
    user: before.user,
    role: before.role === 'admin' ? 'admin' : 'member',
    tagIds: new Set([...catalogue.defaultTagIds, ...approved]),
  };
  return {
    ...effectOf(catalogue.readableSets(before), catalogue.readableSets(after)),
    isEmailConfirmed: Boolean(account?.email_verified),
  };
}

/**
 * Published posts that a new member with these tags reads and a visitor does not. Throws invalid-argument for a name that is
 * no tag.
 */
export async function previewNewMember(
  { catalogue }: ReadDeps,
  names: readonly string[],
): Promise<{ gained: number }> {
  const tags = await catalogue();
  const tagIds = new Set([...tags.defaultTagIds, ...tags.tagIdsOf(names)]);
  const open = tags.readableSets(visitor(tags.defaultTagIds));
  return { gained: effectOf(open, tags.readableSets({ user: null, role: 'member', tagIds })).gained };
}

/**
 * What visitors would gain and lose by these default tags, in published posts; and members, in those that stay closed
 * to visitors. Throws invalid-argument for a name that is no tag.
 */
export async function previewDefaultTags(
  deps: ReadDeps,
  names: readonly string[],
): Promise<{ visitors: Effect; members: Effect }> {
  const catalogue = await deps.catalogue();
  const before = catalogue.defaultTagIds;
  const after: ReadonlySet<string> = new Set(catalogue.tagIdsOf(names));
  const changed = new Set([...before, ...after].filter(id => before.has(id) !== after.has(id)));
  const isOpen = (set: TagSet, defaults: ReadonlySet<string>) => isReadable(visitor(defaults), set);

  const closed = catalogue.sets.filter(
    set =>
      set.publishedCount > 0 &&
      set.tagIds.some(id => changed.has(id)) &&
      !isOpen(set, before) &&
      !isOpen(set, after),
  );
  return {
    visitors: effectOf(
      catalogue.sets.filter(set => isOpen(set, before)),
      catalogue.sets.filter(set => isOpen(set, after)),
    ),
    members: await effectOnMembers(deps.db, closed, before, after),
  };
}

async function effectOnMembers(
  db: Kysely<Tables>,
  sets: readonly TagSet[],
  before: ReadonlySet<string>,
  after: ReadonlySet<string>,
): Promise<Effect> {
  const holders = await holdersOf(db, [...new Set(sets.flatMap(set => set.tagIds))]);
  const readersOf = ({ tagIds }: TagSet, defaults: ReadonlySet<string>) =>
    readersAmong(holders, tagIds, defaults);
  const gained = sets.filter(set => (readersOf(set, after) & ~readersOf(set, before)) !== 0n);
  const lost = sets.filter(set => (readersOf(set, before) & ~readersOf(set, after)) !== 0n);
  return { gained: countPosts(gained), lost: countPosts(lost) };
}

/** Grants that are read at once: SQLite answers in this process, which serves others in between. */
export const grantsAtOnce = 2_000;

/**
 * The members who hold each of these tags: a bit for each member, so that thousands of members are compared in one step
 * with all combinations.
 */
async function holdersOf(db: Kysely<Tables>, tagIds: readonly string[]): Promise<Map<string, bigint>> {
  const places = new Map<string, number>();
  const held = new Map(tagIds.map(id => [id, [] as number[]]));
  for await (const { user_id, tag_id } of grantsOf(db, tagIds)) {
    const place = places.get(user_id) ?? places.size;
    places.set(user_id, place);
    held.get(tag_id)?.push(place);
  }
  return new Map([...held].map(([id, members]) => [id, bitsOf(members, places.size)]));
}

/**
 * Which members hold which of these tags, in the order of the primary key. By the index of members or of tags, which look
 * cheaper to SQLite, it would gather and sort all grants for each part of them: a second at a time for 10,000 members.
 */
async function* grantsOf(db: Kysely<Tables>, tagIds: readonly string[]) {
  const { inList, unindexed } = dialectOf(db);
  let last = { user_id: '', tag_id: '' };
  for (;;) {
    const grants = await db
      .selectFrom('approved_tags')
      .select(['user_id', 'tag_id'])
      .where(inList(unindexed(sql.ref('tag_id')), tagIds))
      .where(sql<SqlBool>`(user_id, tag_id) > (${last.user_id}, ${last.tag_id})`)
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom('users')
            .select('id')
            .whereRef('users.id', '=', 'approved_tags.user_id')
            .where(isReaderOf(db, [], new Set())),
        ),
      )
      .orderBy('user_id')
      .orderBy('tag_id')
      .limit(grantsAtOnce)
      .execute();
    yield* grants;
    const end = grants.at(-1);
    if (end === undefined || grants.length < grantsAtOnce) return;
    last = end;
    await letOthersGoOn();
  }
}

/** A number with these bits set, of so many. */
function bitsOf(places: readonly number[], size: number): bigint {
  const bytes = Buffer.alloc((size >> 3) + 1);
  for (const place of places) bytes[place >> 3] = (bytes[place >> 3] ?? 0) | (1 << (place & 7));
  return BigInt(`0x${bytes.toString('hex')}`);
}

function isReadable(viewer: Viewer, set: TagSet): boolean {
  return mayRead(viewer, { isPublished: true, tagIds: set.tagIds });
}

function countPosts(sets: readonly TagSet[]): number {
  return sets.reduce((sum, set) => sum + set.publishedCount, 0);
}

function effectOf(before: readonly TagSet[], after: readonly TagSet[]): Effect {
  const [then, now] = [new Set(before), new Set(after)];
  return {
    gained: countPosts(after.filter(set => !then.has(set))),
    lost: countPosts(before.filter(set => !now.has(set))),
  };
}
