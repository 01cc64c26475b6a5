import { exportAnswer, seenTagsOf } from '../model/account-answers.ts';
import type { Expectation } from '../model/act.ts';
import { ownCommentsAnswer } from '../model/comment-answers.ts';
import { AnyOrder } from '../model/lists.ts';
import { likedAnswer, onThisDayAnswer } from '../model/post-answers.ts';
import { faceOf, type Viewer, wishesAnswer } from '../model/rule.ts';
import { type Account, emailOf, existing, type World } from '../model/world.ts';
import { call, type Expect } from './call.ts';
import type { Question } from './question.ts';

/** Questions about a person's own account. Everybody asks the same ones, so that all others are refused. */
export function ownQuestions(): Question[] {
  const own = (
    operation: string,
    expect: (world: World, account: Account, viewer: Viewer) => Expectation,
    also?: Question['also'],
  ) => {
    const expectOwn: Expect = (world, viewer) =>
      viewer.account === null ? { refusal: 'unauthenticated' } : expect(world, viewer.account, viewer);
    return call(operation, {}, 'signed-in', expectOwn, { also });
  };
  return [
    own('getLikedPosts', (world, _, viewer) => likedAnswer(world, viewer)),
    own('getOnThisDay', (world, _, viewer) => onThisDayAnswer(world, viewer)),
    own('getOwnComments', (world, _, viewer) => ownCommentsAnswer(world, viewer)),
    own('getSubscription', (_, account) => ({
      result: { isSubscribed: account.isSubscribed, email: emailOf(account) },
    })),
    own('getPersonalFeed', (_, { feed }) => ({ result: { feed: feed?.isOpen ? {} : null } })),
    own('getPostAddress', (_, { postAddress: made }) => ({
      result: { address: made === undefined ? null : { publishes: made.publishes } },
    })),
    own('getPush', (world, { name }) => {
      const sessions = Object.values(world.sessions);
      const isAny = sessions.some(each => each.account === name && each.isOpen && each.isNotified === true);
      return { result: isAny ? {} : { isOn: false } };
    }),
    own('getMailWishes', (world, account) => wishesAnswer(world, account)),
    own('getAccount', (world, account) => {
      const open = Object.values(world.sessions).filter(each => each.account === account.name && each.isOpen);
      const sessions = new AnyOrder(open.map(({ device }) => ({ device })));
      return {
        result: { username: account.username, name: account.fullName, face: faceOf(account), sessions },
      };
    }),
    own('listAccessTokens', (world, account) => {
      const open = Object.values(world.tokens).filter(each => each.account === account.name && each.isOpen);
      return { result: { tokens: new AnyOrder(open.map(({ label }) => ({ name: label }))) } };
    }),
    own('exportAccount', exportAnswer, ofExport),
  ];
}

/**
 * An export holds the account's comments, likes, requests, tags and files, also those on posts that it may no
 * longer read.
 */
function ofExport(world: World, viewer: Viewer | null): string[] {
  const account = viewer?.account;
  if (viewer === null || account == null) return [];
  const comments = existing(world.comments).filter(comment => comment.author === account.name);
  const files = existing(world.files).filter(file => file.uploader === account.name);
  return [
    ...seenTagsOf(world, account, viewer),
    ...comments.flatMap(({ id, word, hidden, post }) => [
      id,
      word,
      hidden ?? '',
      world.posts[post]?.id ?? '',
    ]),
    ...comments.flatMap(({ parent }) => world.comments[parent ?? '']?.id ?? []),
    ...existing(world.comments).flatMap(({ id, reports }) => {
      const own = reports[account.name];
      return own === undefined ? [] : [id, own];
    }),
    ...existing(world.posts).flatMap(post =>
      [...post.likes, ...post.opened, ...(post.askedBy ?? [])].includes(account.name) ? post.id : [],
    ),
    ...files.flatMap(({ id, word }) => [id, word]),
  ];
}
