import { existing, type World } from './model/world.ts';
import type { Random } from './random.ts';
import type { Deed } from './steps.ts';

/** Only a few, so that posts and people share them. */
export const tagNames = ['t1', 't2', 't3', 't4'];

/**
 * How many of each kind a world has at most: enough for variety, and more would only repeat the same
 * questions.
 */
export const enough = { accounts: 7, posts: 12, comments: 12, files: 6, tokens: 4, downloads: 8 };

/** A deed of one kind, or undefined if it makes no sense in this world. */
export type Maker = (world: World, random: Random) => Deed | undefined;

export const tags = (random: Random, probability = 0.5) => random.some(tagNames, probability);

/** Mostly an admin; sometimes anybody at all, who must be refused. */
export function author(world: World, random: Random): string {
  const admins = existing(world.accounts).filter(account => account.isAdmin);
  return random.chance(0.9) ? (random.pick(admins)?.name ?? 'nobody') : anybody(world, random);
}

/** Mostly an admin or an author, who may write. */
export function writer(world: World, random: Random): string {
  const authors = existing(world.accounts).filter(account => account.isAuthor);
  return random.chance(0.45) ? (random.pick(authors)?.name ?? author(world, random)) : author(world, random);
}

/** Mostly somebody with an account, by a session of any kind or by a token. */
export function reader(world: World, random: Random): string {
  if (random.chance(0.15)) return anybody(world, random);
  const name = random.pick(existing(world.accounts))?.name ?? 'nobody';
  const tokens = Object.values(world.tokens).filter(token => token.account === name);
  return random.chance(0.2) ? (random.pick(tokens)?.name ?? name) : name;
}

/** Any credential that ever existed, also one that is no longer valid. */
export function anybody(world: World, random: Random): string {
  const sessions = Object.keys(world.sessions);
  const all = [...sessions, ...sessions.map(name => `${name}*`), ...Object.keys(world.tokens), 'nobody'];
  return random.pick(all) ?? 'nobody';
}

export function by(make: (who: string, random: Random) => Deed): Maker {
  return (world, random) => {
    const account = random.pickAgain(existing(world.accounts));
    return account && make(account.name, random);
  };
}

export function about(make: (who: string, world: World, random: Random) => Deed): Maker {
  return (world, random) => {
    const account = random.pickAgain(Object.values(world.accounts));
    return account && make(account.name, world, random);
  };
}

type Named =
  | 'posts'
  | 'comments'
  | 'files'
  | 'tokens'
  | 'invitations'
  | 'passkeys'
  | 'uploads'
  | 'transfers'
  | 'webhooks';

/** One of a kind, mostly one that still exists. */
export function ofSome(kind: Named, make: (name: string, world: World, random: Random) => Deed): Maker {
  return (world, random) => {
    const all: { name: string; isGone?: boolean }[] = Object.values(world[kind]);
    const there = all.filter(one => !one.isGone);
    const one = random.pickAgain(random.chance(0.95) ? there : all);
    return one && make(one.name, world, random);
  };
}
