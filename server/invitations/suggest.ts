import type { Kysely } from 'kysely';
import { fullName, username as limits } from '../../contract/constants.ts';
import type { Tables } from '../db/tables.ts';

/**
 * What the form of an invitation begins with, so that whoever has no opinion only presses its button: the name that the
 * admin gave or the mailbox's, and a username made of it that nobody has. Empty for an invitation that names nobody.
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

async function freeUsername(db: Kysely<Tables>, text: string): Promise<string> {
  const plain = text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '');
  // Names that are written in other letters leave nothing over.
  const base = plain.length >= limits.min ? plain : 'reader';
  const names = Array.from({ length: 50 }, (_, index) => {
    const number = index === 0 ? '' : String(index + 1);
    return base.slice(0, limits.max - number.length) + number;
  });
  const rows = await db.selectFrom('users').select('username').where('username', 'in', names).execute();
  const taken = new Set(rows.map(row => row.username));
  return names.find(candidate => !taken.has(candidate)) ?? '';
}
