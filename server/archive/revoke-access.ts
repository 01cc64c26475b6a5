import type { Kysely } from 'kysely';
import type { MailKind, Tables } from '../db/tables.ts';

/** The mails that contain a link which opens or changes an account. */
const mailsWithLinks: readonly MailKind[] = ['invitation', 'reset', 'confirm', 'sign-in'];

/**
 * Ends what opens a restored site to anybody who holds it: access tokens, invitations, and queued mails with a link. Since the
 * archive was made, some of it may have been revoked, and the archive cannot know which. `now` in milliseconds.
 */
export async function revokeAccess(trx: Kysely<Tables>, now: number): Promise<void> {
  await trx.deleteFrom('access_tokens').execute();
  await trx.updateTable('invitations').set({ revoked_at: now }).where('revoked_at', 'is', null).execute();
  await trx.deleteFrom('mails').where('state', '=', 'queued').where('kind', 'in', mailsWithLinks).execute();
}
