import type { DeedOf, Step, Written } from '../steps.ts';
import { replaceTags } from './accounts.ts';
import type { Acts, Told } from './act.ts';
import { actor } from './caller.ts';
import { onEditable, onReadable, refusalOfPost, refusalOfTags } from './post-refusals.ts';
import { altOf, descriptionOf, firstWordOfTag, shownWords, wordsAt } from './post-words.ts';
import { viewerOf } from './rule.ts';
import { type Account, carriedBy, carriersOf, existing, type Post, type World } from './world.ts';

export type PostDeed =
  | 'write'
  | 'edit'
  | 'setPinned'
  | 'deletePost'
  | 'like'
  | 'openPost'
  | 'countOpening'
  | 'askFor'
  | 'withdrawAsked'
  | 'letIn';

/** What is done to posts and their likes (specification section 4). */
export const postActs: Acts<PostDeed> = {
  write: (world, step, told) => {
    const asking = actor(world, step.by, 'author');
    if ('refusal' in asking) return asking;
    const refusal = refusalOfTags(world, asking.viewer, [], step.tags);
    if (refusal !== undefined) return { refusal };
    if (takesOthersFiles(world, step, asking.account, undefined)) return { refusal: 'invalid-argument' };
    const name = `p${step.at}`;
    const { id = '', createdAt = '', publishedAt } = told;
    const words = wordsAt(step.at, step.type);
    listTags(world, step.tags);
    world.posts[name] = {
      ...words,
      name,
      id,
      type: step.type,
      shownIn: placeOf(step),
      tags: [...new Set(step.tags)],
      author: asking.account,
      createdAt,
      publishedAt: step.isDraft ? null : (publishedAt ?? ''),
      version: 1,
      attachments: attached(step, undefined),
      shows: step.shows.filter(file => !world.files[file]?.isGone),
      likes: [],
      opened: [],
      isGone: false,
    };
    if (!step.isDraft) {
      if (placeOf(step) === undefined) announce(world, world.posts[name]);
      nameAuthors(world, asking.account);
    }
    return {
      result: { post: { ...shownWords(words, step.type), isDraft: step.isDraft, likeCount: 0, version: 1 } },
    };
  },
  edit: (world, step, told) =>
    onEditable(world, step.by, step.post, (viewer, post) => {
      const refusalByTags = refusalOfTags(world, viewer, post.tags, step.tags);
      if (refusalByTags !== undefined) return { refusal: refusalByTags };
      if (step.isStale) return { refusal: 'aborted' };
      if (step.isDraft && post.publishedAt !== null) return { refusal: 'failed-precondition' };
      if (takesOthersFiles(world, step, viewer.account?.name ?? '', post))
        return { refusal: 'invalid-argument' };
      const before = carriedBy(post);
      const words = wordsAt(step.at, step.type);
      listTags(
        world,
        step.tags.filter(tag => !post.tags.includes(tag)),
      );
      Object.assign(post, words, {
        type: step.type,
        shownIn: placeOf(step),
        tags: [...new Set(step.tags)],
        version: post.version + 1,
      });
      if (!step.isDraft && post.publishedAt === null) {
        post.publishedAt = told.publishedAt ?? '';
        if (placeOf(step) === undefined) announce(world, post);
        nameAuthors(world, post.author);
      } else if (!step.isDraft && step.tells && placeOf(step) === undefined) announce(world, post);
      post.attachments = attached(step, post);
      post.shows = step.shows.filter(file => !world.files[file]?.isGone);
      dropFiles(
        world,
        before.filter(file => !carriedBy(post).includes(file)),
      );
      return {
        result: { post: { ...shownWords(words, step.type), isDraft: step.isDraft, version: post.version } },
      };
    }),
  setPinned: (world, { by, post: name, isPinned }) =>
    onEditable(world, by, name, (_, post) => {
      post.isPinned = isPinned;
      return { result: {} };
    }),
  deletePost: (world, { by, post: name }) =>
    onEditable(world, by, name, (viewer, post) => {
      post.isGone = true;
      post.isInHistory = post.publishedAt !== null || post.author !== viewer.account?.name;
      for (const comment of existing(world.comments)) if (comment.post === name) comment.isGone = true;
      dropFiles(world, carriedBy(post));
      return { result: {} };
    }),
  like: (world, { by, post: name, liked }) =>
    onReadable(world, by, name, (viewer, post) => {
      const others = post.likes.filter(account => account !== viewer.account?.name);
      post.likes = liked ? [...others, viewer.account?.name ?? ''] : others;
      return { result: { liked, likeCount: post.likes.length } };
    }),
  openPost: (world, { by, post: name }) => {
    const asking = actor(world, by, 'signed-in');
    if ('refusal' in asking) return asking;
    const post = world.posts[name];
    // For a post that they may not read nothing is stored, and the answer is the same.
    if (refusalOfPost(asking.viewer, post) === undefined && post !== undefined && post.publishedAt !== null)
      post.opened = [...new Set([...post.opened, asking.account])];
    return { result: {} };
  },
  countOpening: (world, { by }) => {
    const asking = actor(world, by, 'anyone');
    if ('refusal' in asking) return asking;
    // The answer does not tell whether it was counted.
    return asking.viewer.isByToken ? { refusal: 'permission-denied' } : { result: {} };
  },
  askFor: (world, { by, post: name }) => {
    const asking = actor(world, by, 'approved');
    if ('refusal' in asking) return asking;
    const post = world.posts[name];
    // For a missing post, or one that they may read, nothing is stored, and the answer is the same.
    if (post !== undefined && refusalOfPost(asking.viewer, post) === 'permission-denied')
      post.askedBy = [...new Set([...(post.askedBy ?? []), asking.account])];
    return { result: {} };
  },
  withdrawAsked: (world, { by, post: name }) => {
    const asking = actor(world, by, 'approved');
    if ('refusal' in asking) return asking;
    const post = world.posts[name];
    if (post?.askedBy !== undefined) post.askedBy = post.askedBy.filter(asker => asker !== asking.account);
    return { result: {} };
  },
  letIn: (world, { by, who, post: name, isGranted }) => {
    const asking = actor(world, by, 'admin');
    if ('refusal' in asking) return asking;
    const request = openRequests(world).find(
      ({ post, account }) => post.name === name && account.name === who,
    );
    if (request === undefined) return { refusal: 'not-found' };
    const { post, account, needed } = request;
    if (isGranted) {
      replaceTags(account, [...account.tags, ...needed]);
      account.before = undefined;
      world.letIn.push(account.name);
    }
    post.askedBy = post.askedBy?.filter(asker => asker !== who) ?? [];
    return { result: {} };
  },
};

function announce(world: World, post: Post | undefined): void {
  if (post === undefined) return;
  post.announcedAt = world.now;
  world.unannounced.push(post.name);
}

/** Where a post is shown; undefined for the timeline, in which all short posts are. */
const placeOf = ({ type, shownIn }: Written) => (type === 'essay' ? shownIn : undefined);

/** The requests for posts that wait, with the tags that would open each. */
export function openRequests(world: World): { post: Post; account: Account; needed: string[] }[] {
  return existing(world.posts).flatMap(post =>
    (post.askedBy ?? []).flatMap(name => {
      const account = world.accounts[name];
      if (account === undefined || account.isGone || account.isAdmin || account.status !== 'approved')
        return [];
      const needed = neededBeside(world, post, account.tags);
      return needed.length === 0 ? [] : [{ post, account, needed }];
    }),
  );
}

/** The tags of a post that somebody with these tags does not have. */
export const neededBeside = (world: World, { tags }: Pick<Post, 'tags'>, held: readonly string[]) =>
  tags.filter(tag => !world.defaults.includes(tag) && !held.includes(tag));

/**
 * Adds an imported post. Its tags decide who may read it; from the command line its author is the first
 * admin.
 */
export function importPost(
  world: World,
  { at, type, tags, isDraft }: DeedOf<'importPost'>,
  { id = '', createdAt = '', publishedAt }: Told,
  author = 'u0',
): void {
  listTags(world, tags);
  const name = `p${at}`;
  world.posts[name] = {
    ...{ ...wordsAt(at, type), name, id, type, tags: [...new Set(tags)], author, createdAt },
    ...{ publishedAt: isDraft ? null : (publishedAt ?? ''), version: 1 },
    ...{ attachments: [], shows: [], likes: [], opened: [], isGone: false },
  };
  if (!isDraft) nameAuthors(world, author);
}

/** What becomes of a post by mail, which has no tags. */
export function postByMail(
  world: World,
  { at, who, from = who }: DeedOf<'postByMail'>,
  { to, ...told }: Told & { to: string },
): 'post' | 'refused' | 'ignored' {
  const account = world.accounts[who];
  // The address ends with what ends the access of its owner, and is good for them alone.
  if (account === undefined || account.isGone || account.postAddress?.email !== to || from !== who)
    return 'ignored';
  if (!['author', 'admin'].includes(viewerOf(world, account).role)) return 'refused';
  const isDraft = !account.postAddress.publishes;
  importPost(world, { at, do: 'importPost', type: 'essay', tags: [], isDraft }, told, who);
  const post = world.posts[`p${at}`];
  if (post !== undefined && !isDraft) {
    announce(world, post);
    // A command has the clock of the machine.
    post.announcedAt = Date.parse(told.publishedAt ?? '');
  }
  return 'post';
}

/**
 * Posts name their authors from the first one that somebody besides the first admin publishes, unless an
 * admin has decided (docs/decisions/0027-names-of-authors.md).
 */
function nameAuthors(world: World, author: string): void {
  const admins = existing(world.accounts).filter(({ isAdmin }) => isAdmin);
  const first = admins.sort((a, b) => a.since - b.since || compare(a.id, b.id))[0];
  const isThere = world.accounts[author]?.isGone === false;
  if (isThere && first !== undefined && first.name !== author) world.settings.values.namesAuthors ??= 'true';
}

/** By time, ties by id; both sort as text. */
export function newestFirst(
  a: readonly [time: string, id: string],
  b: readonly [time: string, id: string],
): number {
  return compare(b[0], a[0]) || compare(b[1], a[1]);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function attached({ at, attach }: Step & Written, post: Post | undefined): Post['attachments'] {
  if (attach === undefined) return post?.attachments ?? [];
  return attach.map(file => ({ file, description: descriptionOf(file, at), alt: altOf(file, at) }));
}

/** A post may have the files that its author uploaded, and those that it has already (decision 22). */
function takesOthersFiles(world: World, step: Written, account: string, post: Post | undefined): boolean {
  const own = post === undefined ? [] : carriedBy(post);
  const listed = step.attach ?? post?.attachments.map(({ file }) => file) ?? [];
  if (listed.some(file => world.files[file]?.isGone)) return true;
  return [...listed, ...step.shows]
    .map(file => world.files[file])
    .some(
      file => file !== undefined && !file.isGone && file.uploader !== account && !own.includes(file.name),
    );
}

/** Deletes files that no post has any more. */
function dropFiles(world: World, files: readonly string[]): void {
  for (const name of files) {
    const file = world.files[name];
    if (file !== undefined && carriersOf(world, name).length === 0) file.isGone = true;
  }
}

/** A tag that a post newly gets is added to the list, also one that was deleted (decisions 4 and 5). */
function listTags(world: World, names: readonly string[]): void {
  for (const name of names) {
    world.tags[name] = { name, word: firstWordOfTag(name), ...world.tags[name], isListed: true };
  }
}
