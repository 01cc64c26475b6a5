import { type Kysely, sql } from 'kysely';
import { fullName, invitationsPerPage } from '../../../contract/constants.ts';
import { moment } from '../../../contract/date.ts';
import type { Output } from '../../../contract/operations.ts';
import { inAlphabeticalOrder } from '../../../contract/text.ts';
import { versionOfTags } from '../../base/version.ts';
import type { Config } from '../../config.ts';
import { dialectOf } from '../../db/dialect.ts';
import { readPage } from '../../db/page.ts';
import { type Tables, timeOf } from '../../db/tables.ts';
import type { DbContext } from '../../db/transaction.ts';
import { freeUsername } from '../sign-in/free-username.ts';
import type { MadeInvitations } from './write.ts';

type InvitationDeps = DbContext & { config: Config };
type Invitation = Output<'createInvitations'>['made'][number]['invitation'];

export type OpenInvitation = NonNullable<Awaited<ReturnType<typeof openInvitation>>>;

/** The invitations that are not used up, expired or revoked. */
export function openInvitations({ db, clock }: Pick<DbContext, 'db' | 'clock'>) {
  return db
    .selectFrom('invitations')
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', clock())
    .whereRef('uses', '<', 'max_uses');
}

/**
 * The invitation, if it is open; undefined if it is used up, expired or revoked, or its maker is no longer an
 * admin. An invitation for an address that was not mailed there proves nothing, so it ends once the site
 * sends mail.
 */
export async function openInvitation({ db, clock, config }: InvitationDeps, digest: string) {
  const row = await openInvitations({ db, clock })
    .innerJoin('users', 'users.id', 'invitations.created_by')
    .select(['invitations.id', 'invitations.name', 'invitations.email', 'is_mailed', 'max_uses'])
    .select(['invitations.created_at', 'users.name as inviter'])
    .where('digest', '=', digest)
    .where('is_admin', '=', true)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  /** Whether holding the link proves that a person reads the mailbox. */
  const isProven = Boolean(row.is_mailed);
  if (row.email !== null && !isProven && config.smtpUrl !== undefined) return undefined;
  return { ...row, isProven };
}

/** Whether as many people have joined by an invitation as it lets in: their accounts are there. */
export async function isUsedUp(db: Kysely<Tables>, digest: string): Promise<boolean> {
  const row = await db
    .selectFrom('invitations')
    .select('id')
    .where('digest', '=', digest)
    .whereRef('uses', '>=', 'max_uses')
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Values that fill the form for joining, so that a person without a preference only presses its button: the
 * name that the admin gave or the mailbox's, and a free username made of it. Empty for an invitation that
 * names nobody.
 */
export async function suggestNames(
  db: Kysely<Tables>,
  { name, email }: { name: string | null; email: string | null },
): Promise<{ name: string; username: string }> {
  if (email === null) return { name: '', username: '' };
  const mailbox = email.split('@')[0] ?? '';
  const written =
    name ??
    mailbox
      .split('+')[0]
      ?.replaceAll(/[._-]+/g, ' ')
      .trim() ??
    '';
  const suggested = written.length >= fullName.min ? [...written].slice(0, fullName.max).join('') : '';
  return { name: suggested, username: await freeUsername(db, suggested || mailbox) };
}

/** A page of invitations, newest first. Throws invalid-argument for an invalid cursor. */
export async function listInvitations(
  deps: InvitationDeps,
  after: string | null | undefined,
): Promise<Output<'listInvitations'>> {
  const { rows, nextCursor } = await readPage(
    invitationRows(deps.db),
    {
      columns: ['invitations.created_at', 'invitations.id'],
      direction: 'desc',
      after,
      limit: invitationsPerPage,
    },
    row => ({ sortedBy: row.created_at, id: row.id }),
  );
  return { invitations: await describe(deps, rows), nextCursor };
}

/** Invitations by id, in the order of the ids; missing ones are left out. */
export async function getInvitations(deps: InvitationDeps, ids: readonly string[]): Promise<Invitation[]> {
  const rows = await invitationRows(deps.db)
    .where(dialectOf(deps.db).inList(sql.ref('invitations.id'), ids))
    .execute();
  const described = new Map((await describe(deps, rows)).map(invitation => [invitation.id, invitation]));
  return ids.flatMap(id => described.get(id) ?? []);
}

/** New invitations, with the links of those that were not mailed. */
export async function describeMade(
  deps: InvitationDeps,
  { made, known }: MadeInvitations,
): Promise<Output<'createInvitations'>> {
  const links = new Map(made.map(({ id, link }) => [id, link]));
  const invitations = await getInvitations(deps, [...links.keys()]);
  return {
    made: invitations.map(invitation => ({ invitation, link: links.get(invitation.id) ?? null })),
    known,
  };
}

function invitationRows(db: Kysely<Tables>) {
  return db
    .selectFrom('invitations')
    .leftJoin('users', 'users.id', 'invitations.created_by')
    .selectAll('invitations')
    .select('users.is_admin as is_by_admin');
}

type Row = Awaited<ReturnType<ReturnType<typeof invitationRows>['execute']>>[number];

async function describe({ db, clock }: InvitationDeps, rows: readonly Row[]): Promise<Invitation[]> {
  const { inList } = dialectOf(db);
  const ids = rows.map(row => row.id);
  const [tags, people] = await Promise.all([
    db
      .selectFrom('invitation_tags')
      .innerJoin('tags', 'tags.id', 'invitation_tags.tag_id')
      .select(['invitation_id', 'tag_id', 'name'])
      .where(inList(sql.ref('invitation_id'), ids))
      .execute(),
    db
      .selectFrom('invitation_uses')
      .innerJoin('users', 'users.id', 'invitation_uses.user_id')
      .select(['users.id', 'display_username', 'created_at', 'invitation_id'])
      .where(inList(sql.ref('invitation_id'), ids))
      .orderBy('created_at')
      .orderBy('users.id')
      .execute(),
  ]);
  const tagsOf = Map.groupBy(tags, tag => tag.invitation_id);
  const joinedBy = Map.groupBy(people, person => person.invitation_id);
  return rows.map(row => ({
    id: row.id,
    name: row.name,
    email: row.email,
    isMailed: Boolean(row.is_mailed),
    tags: (tagsOf.get(row.id) ?? []).map(tag => tag.name).sort(inAlphabeticalOrder),
    version: versionOfTags((tagsOf.get(row.id) ?? []).map(tag => tag.tag_id)),
    state: stateOf(row, clock()),
    maxUses: row.max_uses,
    uses: row.uses,
    createdAt: moment(row.created_at),
    expiresAt: moment(row.expires_at),
    joined: (joinedBy.get(row.id) ?? []).map(person => ({
      userId: person.id,
      username: person.display_username,
      joinedAt: moment(timeOf(person.created_at)),
    })),
  }));
}

function stateOf(row: Row, now: number): Invitation['state'] {
  if (row.uses >= row.max_uses) return 'used';
  if (row.revoked_at !== null || !row.is_by_admin) return 'ended';
  return row.expires_at <= now ? 'expired' : 'open';
}
