import type { Kysely } from 'kysely';
import { AppError } from '../../../contract/errors.ts';
import { dayMs } from '../../base/clock.ts';
import { createId } from '../../base/id.ts';
import { digestOf, newToken } from '../../base/secrets.ts';
import { areSameTags, versionOfTags } from '../../base/version.ts';
import type { Config } from '../../config.ts';
import { dialectOf } from '../../db/dialect.ts';
import type { Tables } from '../../db/tables.ts';
import { type DbContext, inTransaction, type WriteContext } from '../../db/transaction.ts';
import { differenceOfTags, recordHistory } from '../../history/write.ts';
import { queueMail } from '../../mail/write.ts';
import { accountAt, isUnclaimed } from '../sign-in/unclaimed.ts';

type InvitationDeps = WriteContext & { config: Config };

/** The terms that invitations made together share. */
type Terms = {
  creatorId: string;
  tagIds: readonly string[];
  expiresInDays: number;
  /** The id of the member who proposed the invited person. */
  proposer?: string | undefined;
};
type Recipient = { email: string; name?: string | undefined };

/** `link` is null if it was mailed. */
type MadeInvitation = { id: string; link: string | null };
/** `known` are the addresses that already have an account and got no invitation. */
export type MadeInvitations = { made: MadeInvitation[]; known: string[] };

/** Makes one link for several people: anybody who has it may use it. */
export async function createGroupInvitation(
  deps: InvitationDeps,
  terms: Terms,
  { name, uses }: { name?: string | undefined; uses: number },
): Promise<MadeInvitation> {
  return await inTransaction(deps, async trx => {
    await deps.requireRecentSignIn(trx);
    await holdTags(trx, terms.tagIds);
    const columns = { name: name || null, email: null, is_mailed: false, max_uses: uses };
    const { id, token } = await insertInvitation(trx, deps, terms, columns);
    return { id, link: linkOf(deps, token) };
  });
}

/**
 * Makes a link for each address, all or none. It is mailed there if a mail server is set up, so that nobody
 * else knows it, and replaces an open invitation of the address. Addresses with an account are returned in
 * `known` instead; a pending account that was never confirmed may be anybody's and does not count.
 */
export async function inviteEach(
  deps: InvitationDeps,
  terms: Terms,
  recipients: readonly Recipient[],
): Promise<MadeInvitations> {
  return await inTransaction(deps, trx => inviteIn(trx, deps, terms, recipients));
}

/** Like {@link inviteEach}, within a transaction. */
export async function inviteIn(
  trx: Kysely<Tables>,
  deps: InvitationDeps,
  terms: Terms,
  recipients: readonly Recipient[],
): Promise<MadeInvitations> {
  const sendsMail = deps.config.smtpUrl !== undefined;
  await deps.requireRecentSignIn(trx);
  await holdTags(trx, terms.tagIds);
  const made: MadeInvitation[] = [];
  const known: string[] = [];
  for (const [email, { name }] of new Map(recipients.map(person => [person.email, person]))) {
    const account = await accountAt(trx, email).executeTakeFirst();
    if (account !== undefined && !isUnclaimed(account)) {
      known.push(email);
      continue;
    }
    await revokeOpen(trx, email, deps.clock());
    const columns = { name: name ?? null, email, is_mailed: sendsMail, max_uses: 1 };
    const { id, token } = await insertInvitation(trx, deps, terms, columns, made.length);
    if (sendsMail) {
      const data = { token, invitationId: id };
      await queueMail(trx, deps.clock(), { kind: 'invitation', userId: null, data });
    }
    made.push({ id, link: sendsMail ? null : linkOf(deps, token) });
  }
  return { made, known };
}

async function insertInvitation(
  trx: Kysely<Tables>,
  deps: InvitationDeps,
  { creatorId, tagIds, expiresInDays, proposer }: Terms,
  columns: { name: string | null; email: string | null; is_mailed: boolean; max_uses: number },
  place = 0,
): Promise<{ id: string; token: string }> {
  const token = newToken();
  const id = createId();
  const now = deps.clock();
  await trx
    .insertInto('invitations')
    .values({
      id,
      digest: digestOf(token),
      ...columns,
      created_by: creatorId,
      // The list has the newest first, and those made at once in the order in which they were typed.
      created_at: now - place,
      expires_at: now + expiresInDays * dayMs,
    })
    .execute();
  await addTags(trx, id, tagIds);
  await recordHistory(trx, deps, {
    kind: 'invitation-made',
    user: proposer,
    thing: thingOf({ id, ...columns }),
    ...(await differenceOfTags(trx, [], tagIds)),
  });
  return { id, token };
}

/** An invitation as the history of rights names it: without an email address. */
export function thingOf({ id, name, max_uses }: { id: string; name: string | null; max_uses: number }) {
  return { id, name: name ?? (max_uses === 1 ? 'for one person' : `for ${max_uses} people`) };
}

function linkOf({ config }: InvitationDeps, token: string): string {
  return `${config.publicUrl}/invite?token=${token}`;
}

/**
 * Sets the tags of people who join from now on. Throws not-found, and aborted if the tags have changed since
 * `version`.
 */
export async function setInvitationTags(
  deps: WriteContext,
  id: string,
  tagIds: readonly string[],
  version?: string,
): Promise<void> {
  await inTransaction(deps, async trx => {
    await holdTags(trx, tagIds);
    const invitation = await lockInvitation(trx, id);
    const rows = await trx
      .deleteFrom('invitation_tags')
      .where('invitation_id', '=', id)
      .returning('tag_id')
      .execute();
    const before = rows.map(row => row.tag_id);
    await addTags(trx, id, tagIds);
    if (areSameTags(before, tagIds)) return;
    const thing = thingOf(invitation);
    if (version !== undefined && version !== versionOfTags(before)) {
      throw new AppError(
        'aborted',
        `Somebody else has changed the tags of the invitation “${thing.name}” in the meantime.`,
      );
    }
    const difference = await differenceOfTags(trx, before, tagIds);
    await recordHistory(trx, deps, { kind: 'invitation-changed', thing, ...difference });
  });
}

/** Ends an invitation; people who joined by it stay. Throws not-found. */
export async function revokeInvitation(deps: WriteContext, id: string): Promise<void> {
  await inTransaction(deps, async trx => {
    const invitation = await lockInvitation(trx, id);
    if (invitation.revoked_at !== null) return;
    await trx.updateTable('invitations').set({ revoked_at: deps.clock() }).where('id', '=', id).execute();
    await recordHistory(trx, deps, { kind: 'invitation-revoked', thing: thingOf(invitation) });
  });
}

/** How long an unused invitation is kept after its end: it can contain an email address. */
const unusedLifeMs = 90 * dayMs;

/** Deletes unused invitations long after their end. */
export async function sweepInvitations({ db, clock }: DbContext): Promise<void> {
  await db
    .deleteFrom('invitations')
    .where('uses', '=', 0)
    .where('expires_at', '<', clock() - unusedLifeMs)
    .execute();
}

/**
 * Locks tags in the list until the transaction ends, so that none is deleted before the invitation has it.
 */
async function holdTags(trx: Kysely<Tables>, tagIds: readonly string[]): Promise<void> {
  for (const id of [...new Set(tagIds)].sort()) {
    const tag = await dialectOf(trx)
      .shared(trx.selectFrom('tags').select(['name', 'is_listed']).where('id', '=', id))
      .executeTakeFirst();
    if (tag?.is_listed) continue;
    throw new AppError('invalid-argument', `The tag “${tag?.name ?? ''}” was deleted.`);
  }
}

async function addTags(trx: Kysely<Tables>, invitationId: string, tagIds: readonly string[]): Promise<void> {
  const rows = [...new Set(tagIds)].map(tag_id => ({ invitation_id: invitationId, tag_id }));
  if (rows.length > 0) await trx.insertInto('invitation_tags').values(rows).execute();
}

async function revokeOpen(trx: Kysely<Tables>, email: string, now: number): Promise<void> {
  await trx
    .updateTable('invitations')
    .set({ revoked_at: now })
    .where('email', '=', email)
    .where('uses', '=', 0)
    .where('revoked_at', 'is', null)
    .execute();
}

async function lockInvitation(trx: Kysely<Tables>, id: string) {
  const row = await dialectOf(trx)
    .forUpdate(
      trx.selectFrom('invitations').select(['id', 'name', 'max_uses', 'revoked_at']).where('id', '=', id),
    )
    .executeTakeFirst();
  if (row === undefined) throw new AppError('not-found', 'There is no such invitation.');
  return row;
}
