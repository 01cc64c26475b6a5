import { namedReaders } from '../../../contract/constants.ts';
import { managed } from './accounts.ts';
import type { Expectation } from './act.ts';
import { AnyOrder } from './lists.ts';
import { openRequests } from './post-acts.ts';
import { seenTags } from './post-answers.ts';
import { mayRead, type Viewer, viewerOf } from './rule.ts';
import { type Account, emailOf, existing, tagWord, type World } from './world.ts';

export function viewerAnswer(viewer: Viewer): Expectation {
  const { account, role } = viewer;
  const isMember = role !== 'visitor';
  const user = account && {
    id: account.id,
    username: account.username,
    name: account.fullName,
    email: emailOf(account),
    isAdmin: role === 'admin',
    isAuthor: role === 'author',
    isApproved: account.status === 'approved',
    pendingApproval: account.status === 'pending',
    isMuted: account.isMuted === true && !account.isAdmin,
  };
  const can = {
    like: isMember,
    comment: isMember,
    write: role === 'author' || role === 'admin',
    administer: role === 'admin',
  };
  return { result: { user, can } };
}

export function requestsAnswer(world: World): Expectation {
  const requests = openRequests(world).map(({ post, account, needed }) => ({
    postId: post.id,
    username: account.username,
    name: account.fullName,
    needed: new AnyOrder(needed.map(tag => tagWord(world, tag))),
  }));
  return { result: { requests: new AnyOrder(requests), total: requests.length } };
}

export type UserList = 'pending' | 'approved' | 'denied' | 'admins';

/** A name that sorts as a reader counts: member2 before member10. */
const naturalOf = (name: string) => name.replace(/\d*$/, digits => digits.padStart(40, '0'));

/** Accounts as admins see them: pending ones in the order of their sign-up, all others by username. */
export function usersAnswer(world: World, list: UserList, search: string): Expectation {
  const isIn = (account: Account) =>
    (list === 'admins') === account.isAdmin && account.status === (list === 'admins' ? 'approved' : list);
  const found = existing(world.accounts)
    .filter(isIn)
    .filter(account =>
      [account.username, account.fullName, emailOf(account)].some(text => text.includes(search)),
    );
  const users = found.map(account => managed(world, account));
  const sorted =
    list === 'pending'
      ? new AnyOrder(users)
      : users.sort((a, b) => (naturalOf(a.username) < naturalOf(b.username) ? -1 : 1));
  return { result: { users: sorted, total: found.length } };
}

/** The names of an account's tags that it sees in its list of tags, in order. */
export function seenTagsOf(world: World, account: Account, viewer: Viewer): string[] {
  const words = account.tags.map(tag => tagWord(world, tag));
  return seenTags(world, viewer)
    .map(({ name }) => name)
    .filter(name => words.includes(name));
}

/** Everything that the site stores about an account; of posts only their ids. */
export function exportAnswer(world: World, account: Account, viewer: Viewer): Expectation {
  const likes = existing(world.posts).filter(post => post.likes.includes(account.name));
  const comments = existing(world.comments).filter(comment => comment.author === account.name);
  const opened = existing(world.posts).filter(post => post.opened.includes(account.name));
  return {
    result: {
      data: {
        account: {
          username: account.username,
          email: emailOf(account),
          approvedTags: seenTagsOf(world, account, viewer),
        },
        likes: new AnyOrder(likes.map(post => ({ postId: post.id }))),
        comments: new AnyOrder(comments.map(({ word }) => ({ content: `A comment: ${word}.` }))),
        openedPosts: new AnyOrder(opened.map(post => ({ postId: post.id }))),
      },
    },
  };
}

/** Members who may read a published post with these tags; admins are not counted. */
function readersOf(world: World, tags: readonly string[], defaults = world.defaults): Account[] {
  return existing(world.accounts)
    .filter(account => account.status === 'approved' && !account.isAdmin)
    .filter(account => tags.every(tag => defaults.includes(tag) || account.tags.includes(tag)));
}

const isOpen = (tags: readonly string[], defaults: readonly string[]) =>
  tags.every(tag => defaults.includes(tag));

/** Who may read a published post with these tags (decision 6). */
export function audienceAnswer(world: World, tags: readonly string[]): Expectation {
  return {
    result: {
      isPublic: isOpen(tags, world.defaults),
      memberCount: readersOf(world, tags).length,
      memberTotal: readersOf(world, []).length,
      restrictedBy: tags.filter(tag => !world.defaults.includes(tag)).map(tag => tagWord(world, tag)),
    },
  };
}

/** Their full names, as an admin may know them. */
export function readersAnswer(world: World, tags: readonly string[]): Expectation {
  const names = readersOf(world, tags).map(account => account.fullName);
  const all = names.length > namedReaders ? {} : { names: new AnyOrder(names) };
  return { result: { total: names.length, ...all } };
}

/** How other default tags would change what visitors may read, and what members may read beyond visitors. */
export function defaultsEffectAnswer(world: World, defaults: readonly string[]): Expectation {
  const posts = existing(world.posts).filter(post => post.publishedAt !== null);
  const effect = { visitors: { gained: 0, lost: 0 }, members: { gained: 0, lost: 0 } };
  for (const { tags } of posts) {
    const [was, is] = [isOpen(tags, world.defaults), isOpen(tags, defaults)];
    if (is && !was) effect.visitors.gained += 1;
    if (was && !is) effect.visitors.lost += 1;
    if (was || is) continue;
    const then = readersOf(world, tags);
    const now = readersOf(world, tags, [...defaults]);
    if (now.some(account => !then.includes(account))) effect.members.gained += 1;
    if (then.some(account => !now.includes(account))) effect.members.lost += 1;
  }
  return { result: effect };
}

/** What an account would gain and lose if it were approved with these tags. */
export function approvalEffectAnswer(world: World, account: Account, tags: readonly string[]): Expectation {
  const posts = existing(world.posts).filter(post => post.publishedAt !== null);
  const before = viewerOf(world, account);
  const after = viewerOf(world, { ...account, status: 'approved', tags: [...tags] });
  const [then, now] = [before, after].map(viewer => posts.filter(post => mayRead(viewer, post)));
  return {
    result: {
      gained: now?.filter(post => !then?.includes(post)).length,
      lost: then?.filter(post => !now?.includes(post)).length,
    },
  };
}
