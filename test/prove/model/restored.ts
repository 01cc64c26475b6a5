import { endAddresses } from './accounts.ts';
import type { World } from './world.ts';

/**
 * The site after it was restored from a backup: everything is as it was `then`, rights included, but nobody
 * is signed in, mailed links no longer work, and unfinished uploads and transfers have ended
 * (docs/archive.md); so have access tokens, invitations, webhooks, feeds of one's own and addresses of
 * posts by mail, unless the restore `keepsAccess`. Nothing is left of what was made `since`.
 */
export function restored(then: World, since: World, keepsAccess: boolean): World {
  const world = structuredClone(then);
  addGone(world.accounts, since.accounts, { isGone: true });
  addGone(world.posts, since.posts, { isGone: true });
  addGone(world.comments, since.comments, { isGone: true });
  addGone(world.files, since.files, { isGone: true });
  addGone(world.passkeys, since.passkeys, { isGone: true });
  addGone(world.webhooks, since.webhooks, { isGone: true });
  addGone(world.uploads, since.uploads, { isGone: true });
  addGone(world.tokens, since.tokens, { isOpen: false });
  addGone(world.sessions, since.sessions, { isOpen: false });
  addGone(world.invitations, since.invitations, { isRevoked: true, isGone: true });
  for (const session of Object.values(world.sessions)) session.isOpen = false;
  if (!keepsAccess) {
    for (const token of Object.values(world.tokens)) token.isOpen = false;
    for (const invitation of Object.values(world.invitations)) invitation.isRevoked = true;
    for (const account of Object.values(world.accounts)) endAddresses(account);
    for (const webhook of Object.values(world.webhooks)) webhook.isGone = true;
  }
  for (const upload of Object.values(world.uploads)) upload.isGone = true;
  for (const account of Object.values(world.accounts)) {
    account.before = undefined;
    if (account.link !== undefined) account.link.isOpen = false;
    if (account.signInLink !== undefined) account.signInLink.isOpen = false;
  }
  world.transfers = {};
  return { ...world, downloads: { ...since.downloads, ...world.downloads }, now: since.now };
}

/** What was made later stays in the world by name, marked as gone. */
function addGone<T extends object>(
  there: Record<string, T>,
  since: Readonly<Record<string, T>>,
  gone: Partial<T>,
): void {
  for (const [name, one] of Object.entries(since)) there[name] ??= { ...structuredClone(one), ...gone };
}
