import { type Kysely, type SqlBool, sql } from 'kysely';
import type * as contract from '../../contract/accounts/sign-in.ts';
import type { UserStatus } from '../../contract/accounts/status.ts';
import { AppError } from '../../contract/errors.ts';
import type { Caller, Scope } from '../../contract/operation.ts';
import { digestOf } from '../base/secrets.ts';
import type { Tables, UserRow } from '../db/tables.ts';
import type { Actor } from '../db/transaction.ts';
import { keyOfTags } from './audience.ts';
import type { ReadContext, RequestContext } from './context.ts';
import { shownEmail } from './shown-email.ts';
import { mayWait } from './waiting-users.ts';

/** The roles, each with more rights than the one before. */
const roles = ['visitor', 'member', 'author', 'admin'] as const;
export type Role = (typeof roles)[number];

/** Whether one role has fewer rights than another. */
export function isLessThan(role: Role, other: Role): boolean {
  return roles.indexOf(role) < roles.indexOf(other);
}

/** The sender of a request. Every surface decides about a person by this alone. */
export type Viewer = {
  /** The account of the session or token, in any state; null for none. */
  user: SignedInUser | null;
  /** Pending and denied accounts are visitors (decision 9). */
  role: Role;
  /** The tags that the viewer may read: the default tags, and a member's approved ones. */
  tagIds: ReadonlySet<string>;
};

type SignedInUser = {
  id: string;
  username: string;
  name: string;
  email: string;
  isEmailConfirmed: boolean;
  /** Whether they wait for approval only once they have confirmed their address. */
  mustConfirmEmail: boolean;
  isMuted: boolean;
  status: UserStatus;
  /**
   * An admin without the second factor that the site requires of admins: they have no admin rights until it
   * is set up.
   */
  needsSecondFactor: boolean;
};

export function visitor(defaultTagIds: ReadonlySet<string>): Viewer {
  return { user: null, role: 'visitor', tagIds: defaultTagIds };
}

export async function currentVisitor({
  catalogue,
}: Pick<ReadContext, 'catalogue'>): Promise<Identity & { credential: null }> {
  return { viewer: visitor((await catalogue()).defaultTagIds), credential: null };
}

/** The viewer of an account; a visitor if there is no such account. */
export async function viewerOfUser(
  db: Kysely<Tables>,
  userId: string,
  defaultTagIds: ReadonlySet<string>,
): Promise<Viewer> {
  const row = await accountRows(db).where('users.id', '=', userId).executeTakeFirst();
  if (row === undefined) return visitor(defaultTagIds);
  const approved = await db
    .selectFrom('approved_tags')
    .select('tag_id')
    .where('user_id', '=', userId)
    .execute();
  return viewerOf(
    row,
    approved.map(tag => tag.tag_id),
    defaultTagIds,
  );
}

/** The current role of an account; a visitor's if there is no such account. */
export async function roleOfUser(db: Kysely<Tables>, userId: string): Promise<Role> {
  const row = await accountRows(db).where('users.id', '=', userId).executeTakeFirst();
  return row === undefined ? 'visitor' : viewerOf(row, [], new Set()).role;
}

/**
 * Accounts with all columns that decide about their rights. Viewers are made only from rows that this
 * selects.
 */
export function accountRows(db: Kysely<Tables>) {
  const needsFactor = sql<SqlBool>`users.is_admin
    and exists (select 1 from settings where settings.name = 'admin-factor' and settings.value = 'required')
    and not exists (select 1 from second_factors where second_factors.user_id = users.id)`;
  return db
    .selectFrom('users')
    .selectAll('users')
    .select([needsFactor.as('needs_factor'), mayWait(db).as('may_wait')]);
}

export function viewerOf(
  row: UserRow & { needs_factor: SqlBool; may_wait: SqlBool },
  approvedTagIds: readonly string[],
  defaultTagIds: ReadonlySet<string>,
): Viewer {
  const user = {
    id: row.id,
    username: row.display_username,
    name: row.name,
    email: row.email,
    isEmailConfirmed: Boolean(row.email_verified),
    mustConfirmEmail: row.status === 'pending' && !row.may_wait,
    isMuted: isMuted(row),
    status: row.status,
    needsSecondFactor: Boolean(row.needs_factor),
  };
  if (row.status !== 'approved') return { user, role: 'visitor', tagIds: defaultTagIds };
  return {
    user,
    role: row.is_admin && !row.needs_factor ? 'admin' : row.is_author ? 'author' : 'member',
    tagIds: new Set([...defaultTagIds, ...approvedTagIds]),
  };
}

/** Whether an account may read comments but write none. */
export function isMuted(row: Pick<UserRow, 'is_muted' | 'is_admin'>): boolean {
  return Boolean(row.is_muted) && !row.is_admin;
}

/**
 * Refuses a viewer who may not call an operation: unauthenticated without an account, else permission-denied.
 */
export function authorize(viewer: Viewer, caller: Caller): void {
  if (caller === 'anyone') return;
  if (viewer.user === null) throw new AppError('unauthenticated', 'Please log in first.');
  if (caller === 'signed-in') return;
  if (caller === 'approved') {
    if (viewer.role !== 'visitor') return;
    throw new AppError('permission-denied', 'Your account needs to be approved by an admin first.');
  }
  if (caller === 'author') {
    if (!isLessThan(viewer.role, 'author')) return;
    throw new AppError('permission-denied', 'Only an author or an admin may do this.');
  }
  if (viewer.role !== 'admin') throw new AppError('permission-denied', 'Only an admin may do this.');
}

/** The account of a viewer who passed `authorize` for anything but `anyone`. */
export function accountOf(viewer: Viewer): SignedInUser {
  if (viewer.user === null) throw new AppError('unauthenticated', 'Please log in first.');
  return viewer.user;
}

/** The browser's description of its own user. */
export function describeViewer(viewer: Viewer): contract.Viewer {
  const { user, role } = viewer;
  return {
    user: user && {
      id: user.id,
      username: user.username,
      name: user.name,
      email: shownEmail(user.email),
      isAdmin: role === 'admin',
      isAuthor: role === 'author',
      isApproved: user.status === 'approved',
      pendingApproval: user.status === 'pending',
      isEmailConfirmed: user.isEmailConfirmed,
      mustConfirmEmail: user.mustConfirmEmail,
      isMuted: user.isMuted,
      needsSecondFactor: user.needsSecondFactor,
    },
    can: {
      like: role !== 'visitor',
      comment: role !== 'visitor',
      write: role === 'author' || role === 'admin',
      administer: role === 'admin',
    },
    // Differs for other tags without revealing them.
    rights: digestOf(keyOfTags(viewer.tagIds)).slice(0, 12),
  };
}

/** The viewer that the browser gets after a sign-in or a change of the account. */
export async function describeUser({ db, catalogue }: ReadContext, userId: string): Promise<contract.Viewer> {
  return describeViewer(await viewerOfUser(db, userId, (await catalogue()).defaultTagIds));
}

/**
 * Whether nobody has yet proved to read the account's mailbox, so that anybody may have signed up with its
 * address. False for admins: nobody signs up as one.
 */
export function isUnproven(user: { email_verified: unknown; is_admin: unknown }): boolean {
  return !user.email_verified && !user.is_admin;
}

/**
 * The session or access token with which a request was sent. Its row is deleted when somebody logs out or
 * revokes it.
 */
export type Credential =
  | { kind: 'session'; id: string }
  /** `name` is the name that its owner gave it. */
  | { kind: 'token'; id: string; name: string; scopes: readonly Scope[] };

export type CredentialKey = Pick<Credential, 'kind' | 'id'>;

/** The viewer who has a right, and the session or token that gives it; null for none. */
export type Holder = { viewer: Viewer; credential: CredentialKey | null };

/** The sender of a request and the credential used; null for none, as in calls inside this process. */
export type Identity = { viewer: Viewer; credential: Credential | null };

/** The caller, as the history of rights names it. */
export function actorOf({ viewer, credential, network }: Identity & Pick<RequestContext, 'network'>): Actor {
  const isToken = credential?.kind === 'token';
  return {
    user: viewer.user,
    via: isToken ? 'token' : 'browser',
    viaName: isToken ? credential.name : null,
    address: network,
  };
}

/**
 * Refuses an access token that lacks a scope. Sessions have no scopes: they may do all that their owner may.
 */
export function requireScope(credential: Credential | null, scope: Scope | 'none'): void {
  if (credential?.kind !== 'token') return;
  if (scope === 'none') {
    throw new AppError('permission-denied', 'This is done on the site, not with an access token.');
  }
  if (credential.scopes.includes(scope)) return;
  throw new AppError(
    'permission-denied',
    `The access token “${credential.name}” may not do this: it was made without the scope “${scope}”.`,
  );
}

/** Whether a request with these headers carries no credentials, so that its sender is a visitor. */
export function isAnonymous(headers: Pick<Headers, 'get'>): boolean {
  return headers.get('authorization') === null && sessionCookies(headers.get('cookie'), false) === null;
}

/**
 * The session cookies of a request, as a header; null for none. Over https only the prefixed name counts,
 * which no other host can set. Only spaces and tabs may precede a name: a browser takes every other white
 * space as part of the name, so a neighbouring host could set a cookie whose name becomes ours after `trim`.
 * The patterns are anchored, so that a header of 16 KiB of spaces takes no longer than any other.
 */
export function sessionCookies(cookie: string | null, isSecure: boolean): string | null {
  if (cookie === null || !cookie.includes('coterie-')) return null;
  const ours = isSecure ? /^[ \t]*__Host-coterie-session=/ : /^[ \t]*(?:__Host-)?coterie-session=/;
  const found = cookie.split(';').filter(pair => ours.test(pair));
  return found.length === 0 ? null : found.join(';');
}
