import type { Kysely } from 'kysely';
import { fullName } from '../../contract/constants.ts';
import { freeUsername } from '../accounts/free-username.ts';
import type { Tables } from '../db/tables.ts';

/**
 * What the form for joining is filled with, so that a person without a preference only presses its button: the name that the
 * admin gave or the mailbox's, and a free username made of it. Empty for an invitation that names nobody.
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
