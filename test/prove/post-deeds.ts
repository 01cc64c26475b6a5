import { author, enough, tagNames, writer } from './choices.ts';
import { openRequests } from './model/post-acts.ts';
import { carriersOf, existing, type World } from './model/world.ts';
import type { Random } from './random.ts';
import type { Deed, Written } from './steps.ts';

function written(world: World, random: Random, own: readonly string[]): Written {
  const files = existing(world.files).map(file => file.name);
  const usable = random.chance(0.9)
    ? files.filter(name => own.includes(name) || carriersOf(world, name).length === 0)
    : files;
  const pictures = usable.filter(name => world.files[name]?.bytes === null);
  return {
    type: random.chance(0.5) ? 'short' : 'essay',
    // Mostly one tag: then each change of rights changes what somebody may read.
    tags: random.shuffled(tagNames).slice(0, random.pick([0, 1, 1, 1, 1, 2, 2, 3])),
    isDraft: random.chance(0.2),
    ...(random.chance(0.25) && { shownIn: random.chance(0.6) ? 'navigation' : 'footer' }),
    ...(random.chance(0.7) && { attach: random.some(usable, 0.4) }),
    shows: random.some(pictures, 0.4),
  };
}

/** Mostly tags that the author may use; with others the post is refused. */
function usable(
  world: World,
  random: Random,
  by: string,
  fields: Written,
  kept: readonly string[] = [],
): Written {
  const account = world.accounts[by];
  if (!account?.isAuthor || random.chance(0.25)) return fields;
  const own = [...account.tags, ...world.defaults];
  const fixed = kept.filter(tag => !own.includes(tag));
  return { ...fields, tags: [...fields.tags.filter(tag => own.includes(tag)), ...fixed] };
}

export function write(world: World, random: Random): Deed | undefined {
  if (existing(world.posts).length >= enough.posts) return undefined;
  const by = writer(world, random);
  return { do: 'write', by, ...usable(world, random, by, written(world, random, [])) };
}

export function edit(world: World, random: Random): Deed | undefined {
  const post = random.pickAgain(existing(world.posts));
  if (post === undefined) return undefined;
  const own = post.attachments.map(({ file }) => file).concat(post.shows);
  const fields = written(world, random, own);
  const isDraft = post.publishedAt === null ? random.chance(0.3) : random.chance(0.05);
  const isStale = random.chance(0.05);
  const by = random.chance(0.4) ? post.author : writer(world, random);
  return {
    do: 'edit',
    by,
    post: post.name,
    ...usable(world, random, by, fields, post.tags),
    isDraft,
    ...(isStale && { isStale }),
    ...(random.chance(0.3) && { tells: true }),
  };
}

/**
 * Adds a file of one post to another one as well, as the account that uploaded it; the first post may lose it
 * later.
 */
export function share(world: World, random: Random): Deed | undefined {
  const file = random.pickAgain(
    existing(world.files).filter(({ name }) => carriersOf(world, name).length > 0),
  );
  const others = existing(world.posts).filter(post => !carriersOf(world, file?.name ?? '').includes(post));
  const post = random.pick(others);
  if (file?.uploader == null || post === undefined) return undefined;
  const { type, tags: kept, shows, publishedAt } = post;
  const attach = [...post.attachments.map(each => each.file), file.name];
  const fields = { type, tags: kept, shows, attach, isDraft: publishedAt === null };
  return { do: 'edit', by: file.uploader, post: post.name, ...fields };
}

/** An answer of an admin to a request, mostly one that waits. */
export function letIn(world: World, random: Random): Deed | undefined {
  const request = random.pick(openRequests(world));
  if (request === undefined) return undefined;
  const { post, account } = request;
  return {
    do: 'letIn',
    by: author(world, random),
    who: account.name,
    post: post.name,
    isGranted: random.chance(0.6),
  };
}

/** An answer to a mail about a post, mostly of the person whom it was sent to. */
export function answerByMail(world: World, random: Random): Deed | undefined {
  const account = random.pickAgain(Object.values(world.accounts).filter(each => each.replyTo !== undefined));
  const post = random.pick(Object.keys(account?.replyTo ?? {}));
  if (account === undefined || post === undefined) return undefined;
  if (existing(world.comments).length >= enough.comments) return undefined;
  const from = random.chance(0.15) ? random.pick(Object.keys(world.accounts)) : undefined;
  return { do: 'answerByMail', who: account.name, post, ...(from !== undefined && { from }) };
}

/** A post by mail, mostly of the author whose address it is. */
export function postByMail(world: World, random: Random): Deed | undefined {
  const account = random.pickAgain(Object.values(world.accounts).filter(({ postEmail }) => postEmail));
  if (account === undefined || existing(world.posts).length >= enough.posts) return undefined;
  const from = random.chance(0.15) ? random.pick(Object.keys(world.accounts)) : undefined;
  return { do: 'postByMail', who: account.name, ...(from !== undefined && { from }) };
}
