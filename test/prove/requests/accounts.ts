import sharp from 'sharp';
import { pushKeysOfBrowser } from '../../support/push-keys.ts';
import type { AccountDeed } from '../model/account-acts.ts';
import { fullNameAt, newAccount, passwordAt } from '../model/accounts.ts';
import type { DecisionDeed } from '../model/decision-acts.ts';
import { emailOf } from '../model/world.ts';
import { wordFor } from '../words.ts';
import { callBy, namesOfTags, type Requests } from './request.ts';
import { withCode } from './ways.ts';

/** The requests of signing up and in, of one's own account, and of decisions about others. */
export const accountRequests: Requests<AccountDeed | DecisionDeed> = {
  signUp: (sending, { at }) => {
    const { username, fullName: name, password } = newAccount(at, {});
    return callBy(sending, 'signUp', { username, name, email: `${username}@example.com`, password });
  },
  signIn: async (sending, { at, who, isWrong }) => {
    const account = sending.world.accounts[who];
    if (account === undefined) return undefined;
    const password = isWrong ? wordFor(`wrong password at ${at}`) : account.password;
    const ask = callBy(sending, 'signIn', { email: emailOf(account), password });
    const [code] = account.codes ?? [];
    if (code === undefined || password !== account.password || !account.hasPassword || account.isGone)
      return ask;
    return await withCode(sending, ask, code);
  },
  changeName: (sending, { at }) => callBy(sending, 'changeName', { name: fullNameAt(at) }),
  setFace: async (sending, { at, isPicture }) => {
    const background = { r: at % 256, g: 90, b: 40 };
    const picture = sharp({ create: { width: 1, height: 1, channels: 3, background } }).png();
    return callBy(sending, 'setFace', {
      picture: isPicture ? (await picture.toBuffer()).toString('base64') : null,
    });
  },
  changePassword: (sending, { at, by }) => {
    const account = sending.world.accounts[by];
    if (account === undefined) return undefined;
    return callBy(sending, 'changePassword', {
      ...(account.hasPassword && { currentPassword: account.password }),
      newPassword: passwordAt(at),
    });
  },
  makeToken: (sending, { at }) =>
    callBy(sending, 'createAccessToken', {
      name: wordFor(`label of k${at}`),
      scopes: ['read', 'write', 'files', 'members'],
    }),
  makeFeed: sending => callBy(sending, 'makePersonalFeed'),
  endFeed: sending => callBy(sending, 'endPersonalFeed'),
  startPush: (sending, { at }) =>
    callBy(sending, 'startPush', {
      endpoint: `https://push.invalid/${at}`,
      keys: pushKeysOfBrowser,
    }),
  revokeToken: (sending, { token }) => {
    const known = sending.world.tokens[token];
    return known && callBy(sending, 'revokeAccessToken', { tokenId: known.id });
  },
  deleteAccount: (sending, { by, comments }) =>
    sending.world.accounts[by] && callBy(sending, 'deleteAccount', { comments }),
  approve: (sending, { who, tags }) =>
    callBy(sending, 'approveUser', {
      userId: sending.world.accounts[who]?.id,
      ...(tags && { tags: namesOfTags(sending.world, tags) }),
    }),
  deny: (sending, { who }) => callBy(sending, 'denyUser', { userId: sending.world.accounts[who]?.id }),
  decideMany: (sending, { decisions }) =>
    callBy(sending, 'decideUsers', {
      decisions: decisions.map(({ who, isApproval, tags }) => ({
        userId: sending.world.accounts[who]?.id ?? 'nobody',
        decision: isApproval ? 'approve' : 'deny',
        ...(isApproval && { tags: namesOfTags(sending.world, tags) }),
      })),
    }),
  undo: (sending, { who }) => callBy(sending, 'undoDecision', { userId: sending.world.accounts[who]?.id }),
  allowTags: (sending, { who, tags, tells }) =>
    callBy(sending, 'setApprovedTags', {
      userId: sending.world.accounts[who]?.id,
      tags: namesOfTags(sending.world, tags),
      ...(tells && { tellsMember: true }),
    }),
};
