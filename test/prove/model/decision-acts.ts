import {
  about,
  admins,
  asAdmin,
  endAll,
  endInvitations,
  endTokens,
  managed,
  replaceTags,
  withoutToken,
} from './accounts.ts';
import type { Acts } from './act.ts';
import type { Account, World } from './world.ts';

export type DecisionDeed =
  | 'approve'
  | 'deny'
  | 'decideMany'
  | 'undo'
  | 'allowTags'
  | 'setAdmin'
  | 'setAuthor'
  | 'removeFace';

/** What decisions about accounts do (specification section 4, decision 9). */
export const decisionActs: Acts<DecisionDeed> = {
  approve: (world, { by, who, tags }) =>
    asAdmin(world, by, () => {
      if (tags?.some(tag => world.tags[tag] === undefined)) return { refusal: 'invalid-argument' };
      return about(world, who, account => approve(account, tags));
    }),
  deny: (world, { by, who }) => asAdmin(world, by, () => about(world, who, account => deny(world, account))),
  decideMany: (world, { by, decisions }) =>
    asAdmin(world, by, () => {
      const approvals = decisions.filter(({ isApproval }) => isApproval);
      if (approvals.some(({ tags }) => tags.some(tag => world.tags[tag] === undefined))) {
        return { refusal: 'invalid-argument' };
      }
      const results = decisions.map(({ who, isApproval, tags }) => {
        const account = world.accounts[who];
        if (account === undefined || account.isGone) return { user: null };
        const refusal = isApproval ? approve(account, tags) : deny(world, account);
        return { user: managed(world, account), ...(refusal === undefined && { failure: null }) };
      });
      return { result: { results } };
    }),
  undo: (world, { by, who }) =>
    asAdmin(world, by, () =>
      about(world, who, account => {
        const { before } = account;
        if (before === undefined) return { refusal: 'failed-precondition' };
        Object.assign(account, before, { before: undefined });
        if (account.status === 'denied') endAll(world, account);
        if (account.status === 'pending') endTokens(world, account);
        return undefined;
      }),
    ),
  allowTags: (world, { by, who, tags, tells }) =>
    asAdmin(world, by, () => {
      if (tags.some(tag => world.tags[tag] === undefined)) return { refusal: 'invalid-argument' };
      return about(world, who, account => {
        const added = tags.filter(tag => !account.tags.includes(tag));
        setTags(account, tags);
        if (tells && added.length > 0) world.openings.push({ account: who, tags: added, isNew: true });
        return undefined;
      });
    }),
  setAdmin: (world, { by, who, isAdmin }) =>
    withoutToken(world, by, 'admin', () =>
      asAdmin(world, by, () =>
        about(world, who, account => {
          if (account.isAdmin === isAdmin) return undefined;
          if (account.status !== 'approved') return { refusal: 'failed-precondition' };
          if (!isAdmin && admins(world).length === 1) return { refusal: 'failed-precondition' };
          if (!account.isAuthor && isAdmin) account.postAddress = undefined;
          account.isAdmin = isAdmin;
          account.isAuthor = false;
          account.before = undefined;
          if (!isAdmin) endInvitations(world, account);
          return undefined;
        }),
      ),
    ),
  setAuthor: (world, { by, who, isAuthor }) =>
    withoutToken(world, by, 'admin', () =>
      asAdmin(world, by, () =>
        about(world, who, account => {
          if (account.isAuthor === isAuthor) return undefined;
          if (account.isAdmin || account.status !== 'approved') return { refusal: 'failed-precondition' };
          account.isAuthor = isAuthor;
          account.before = undefined;
          if (isAuthor) account.postAddress = undefined;
          return undefined;
        }),
      ),
    ),
  removeFace: (world, { by, who }) =>
    asAdmin(world, by, () =>
      about(world, who, account => {
        if (account.face !== undefined) account.face.isShown = false;
        return undefined;
      }),
    ),
};

/** Approves an account, with exactly these tags if a list is given. */
function approve(account: Account, tags: readonly string[] | undefined): undefined {
  if (account.status === 'approved') {
    if (tags !== undefined) setTags(account, tags);
    return;
  }
  account.before = decided(account);
  account.status = 'approved';
  if (tags !== undefined) replaceTags(account, tags);
}

function deny(world: World, account: Account): { refusal: string } | undefined {
  if (account.status === 'denied') return undefined;
  if (account.isAdmin) return { refusal: 'failed-precondition' };
  account.before = decided(account);
  account.status = 'denied';
  account.isAuthor = false;
  endAll(world, account);
  return undefined;
}

/** Different tags are a new decision, so the one before can no longer be undone. */
function setTags(account: Account, tags: readonly string[]): void {
  const after = new Set(tags);
  if (after.size === account.tags.length && account.tags.every(tag => after.has(tag))) return;
  replaceTags(account, tags);
  account.before = undefined;
}

const decided = ({ status, tags, withheld, isAuthor }: Account) => ({ status, tags, withheld, isAuthor });
