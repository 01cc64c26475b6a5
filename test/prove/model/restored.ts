import type { World } from './world.ts';

/**
 * The site as a backup has it, started anew: everything is as it was `then`, rights, too, but nobody is signed in, links that were
 * mailed are over, and what was under way has ended (docs/archive.md); so have access tokens and invitations, unless it
 * `keepsAccess`. Of what came `since` nothing is left.
 */
export function restored(then: World, since: World, keepsAccess: boolean): World {
  const world = structuredClone(then);
  addGone(world.accounts, since.accounts, { isGone: true });
  addGone(world.posts, since.posts, { isGone: true });
  addGone(world.comments, since.comments, { isGone: true });
  addGone(world.files, since.files, { isGone: true });
  addGone(world.passkeys, since.passkeys, { isGone: true });
  addGone(world.uploads, since.uploads, { isGone: true });
  addGone(world.tokens, since.tokens, { isOpen: false });
  addGone(world.sessions, since.sessions, { isOpen: false });
  addGone(world.invitations, since.invitations, { isRevoked: true, isGone: true });
  for (const session of Object.values(world.sessions)) session.isOpen = false;
  if (!keepsAccess) {
    for (const token of Object.values(world.tokens)) token.isOpen = false;
    for (const invitation of Object.values(world.invitations)) invitation.isRevoked = true;
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

/** What was made later is known by name, and is not there. */
function addGone<T extends object>(
  there: Record<string, T>,
  since: Readonly<Record<string, T>>,
  gone: Partial<T>,
): void {
  for (const [name, one] of Object.entries(since)) there[name] ??= { ...structuredClone(one), ...gone };
}
