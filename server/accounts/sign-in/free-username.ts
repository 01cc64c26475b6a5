import type { Kysely } from 'kysely';
import { isReservedUsername } from '../../../contract/accounts/reserved-username.ts';
import { username as limits } from '../../../contract/constants.ts';
import type { Tables } from '../../db/tables.ts';

/** A free, unreserved username made of a person's known names; empty if fifty similar ones are taken. */
export async function freeUsername(db: Kysely<Tables>, text: string): Promise<string> {
  const plain = text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '');
  // A name in another script leaves no letters.
  const base = plain.length >= limits.min && !isReservedUsername(plain) ? plain : 'reader';
  const names = Array.from({ length: 50 }, (_, index) => {
    const number = index === 0 ? '' : String(index + 1);
    return base.slice(0, limits.max - number.length) + number;
  });
  const rows = await db.selectFrom('users').select('username').where('username', 'in', names).execute();
  const taken = new Set(rows.map(row => row.username));
  return names.find(candidate => !taken.has(candidate)) ?? '';
}
