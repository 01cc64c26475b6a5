import type { Insertable, Kysely } from 'kysely';
import { AppError } from '../../contract/errors.ts';
import { mayRead } from '../../server/access/audience.ts';
import { dialectOf } from '../../server/db/dialect.ts';
import type { Tables } from '../../server/db/tables.ts';
import { indexPosts } from '../../server/search/index-posts.ts';
import { changePublishedCount } from '../../server/tags/write.ts';
import { insertInBatches } from './batches.ts';
import { type SeededMember, seedMembers } from './members.ts';
import { Random } from './random.ts';
import { type SeededTags, seedTags } from './tags.ts';
import { Texts } from './texts.ts';

export type SeedOptions = {
  posts: number;
  members: number;
  tags: number;
  comments: number;
  likes: number;
  randomSeed: number;
  /** Also seeds a site that has posts already. */
  isForced?: boolean;
};

const year = 365 * 24 * 60 * 60 * 1_000;
/** Fixed, so that the same seed makes the same site on any day. */
const newest = Date.UTC(2026, 0, 1);
const oldest = newest - 8 * year;
const shortShare = 0.6;
const draftShare = 0.01;
const editedShare = 0.1;

/** A planned post. Its text is made when it is written, so that a million plans fit into memory. */
type PlannedPost = {
  id: string;
  time: number;
  isDraft: boolean;
  tagSetId: number;
  tagIds: ReadonlySet<string>;
  likes: number;
  comments: number;
};
type Reaction = { post: PlannedPost; member: SeededMember };

/**
 * Fills a site with volume, the same for the same random seed. All counts agree with their rows. Throws
 * failed-precondition on a site that has posts, unless forced. Returns how many likes and comments it made:
 * fewer than asked for if the members may read too little.
 */
export async function seedSite(
  db: Kysely<Tables>,
  options: SeedOptions,
): Promise<{ likes: number; comments: number }> {
  const present = await db.selectFrom('posts').select('id').limit(1).executeTakeFirst();
  if (!options.isForced && present !== undefined) {
    throw new AppError(
      'failed-precondition',
      'This site has posts already. Add --force to seed it all the same.',
    );
  }
  const random = new Random(options.randomSeed);
  const tags = await seedTags(db, random, options.tags);
  const members = await seedMembers(db, random, {
    count: options.members,
    tagIds: tags.ids,
    from: oldest,
    now: newest,
  });
  const posts = planPosts(random, options.posts, tags);
  // Before the posts, so that these are written with their counts.
  const likes = planReactions(random, options.likes, posts, members, tags, true);
  const comments = planReactions(random, options.comments, posts, members, tags, false);
  for (const { post } of likes) post.likes += 1;
  for (const { post } of comments) post.comments += 1;

  const texts = new Texts(random);
  await writePosts(db, random, texts, posts);
  await insertInBatches(db, likes, async (trx, batch) => {
    const rows = batch.map(({ post, member }) => ({
      post_id: post.id,
      user_id: member.id,
      created_at: after(random, post),
    }));
    await trx.insertInto('likes').values(rows).execute();
  });
  await insertInBatches(db, comments, async (trx, batch) => {
    const rows = batch.map(({ post, member }) => ({
      id: random.id(),
      post_id: post.id,
      user_id: member.id,
      content: texts.comment(),
      created_at: after(random, post),
    }));
    await trx.insertInto('comments').values(rows).execute();
  });
  return { likes: likes.length, comments: comments.length };
}

function planPosts(random: Random, count: number, tags: SeededTags): PlannedPost[] {
  return Array.from({ length: count }, (_, index) => {
    const set = tags.pick(random);
    return {
      id: random.id(),
      time: Math.floor(oldest + ((index + random.next()) / count) * (newest - oldest)),
      isDraft: random.next() < draftShare,
      tagSetId: set.id,
      tagIds: set.tagIds,
      likes: 0,
      comments: 0,
    };
  });
}

/**
 * Members react to what they may read: the newest posts get the most, and some members are busier than
 * others.
 */
function planReactions(
  random: Random,
  count: number,
  posts: readonly PlannedPost[],
  members: readonly SeededMember[],
  tags: SeededTags,
  isOnce: boolean,
): Reaction[] {
  const seen = new Set<number>();
  const reactions: Reaction[] = [];
  const readers = members.map(({ tagIds }) => ({
    user: null,
    role: 'member' as const,
    tagIds: new Set([...tags.defaultIds, ...tagIds]),
  }));
  // At most ten draws for each: if little may be read, there are fewer.
  for (let draw = 0; draw < 10 * count && reactions.length < count; draw += 1) {
    const postIndex = posts.length - 1 - random.skewed(posts.length);
    const memberIndex = random.skewed(members.length);
    const post = posts[postIndex];
    const [member, reader] = [members[memberIndex], readers[memberIndex]];
    if (post === undefined || member === undefined || reader === undefined) continue;
    if (!mayRead(reader, { isPublished: !post.isDraft, tagIds: [...post.tagIds] })) continue;
    const pair = postIndex * members.length + memberIndex;
    if (isOnce && seen.has(pair)) continue;
    seen.add(pair);
    reactions.push({ post, member });
  }
  return reactions;
}

async function writePosts(
  db: Kysely<Tables>,
  random: Random,
  texts: Texts,
  posts: readonly PlannedPost[],
): Promise<void> {
  const author = await db
    .selectFrom('users')
    .select('id')
    .where('is_admin', '=', true)
    .orderBy('created_at')
    .limit(1)
    .executeTakeFirst();
  await insertInBatches(db, posts, async (trx, batch) => {
    const rows = batch.map(post => rowOf(random, texts, post, author?.id ?? null));
    await trx.insertInto('posts').values(rows).execute();
    await indexPosts(
      trx,
      rows.map(row => row.id),
    );
    const published = Map.groupBy(
      batch.filter(post => !post.isDraft),
      post => post.tagSetId,
    );
    for (const [tagSetId, group] of published) await changePublishedCount(trx, tagSetId, group.length);
  });
  // As the program does every minute.
  await dialectOf(db).postSearch.mergeParts(db, new AbortController().signal);
}

function rowOf(random: Random, texts: Texts, post: PlannedPost, authorId: string | null) {
  const isShort = random.next() < shortShare;
  const isEdited = random.next() < editedShare;
  return {
    id: post.id,
    type: isShort ? 'short' : 'essay',
    title: isShort ? null : texts.title(),
    description: isShort ? null : texts.description(),
    tag_set_id: post.tagSetId,
    author_id: authorId,
    published_at: post.isDraft ? null : post.time,
    created_at: post.time,
    updated_at: isEdited ? after(random, post) : null,
    like_count: post.likes,
    comment_count: post.comments,
    version: isEdited ? 2 : 1,
    ...(isShort ? texts.shortPost() : texts.essay(post.id)),
  } satisfies Insertable<Tables['posts']>;
}

/** Some time after a post: mostly within days. */
function after(random: Random, post: PlannedPost): number {
  return post.time + Math.floor(random.next() ** 4 * 60 * 24 * 60 * 60 * 1_000);
}
