import type { Updateable } from 'kysely';
import type { Tables } from '../../server/db/tables.ts';
import type { Site } from './site.ts';

/** Rows as a test needs them, past all rules. */

export async function changeUser({ deps }: Site, id: string, values: Updateable<Tables['users']>) {
  await deps.db.updateTable('users').set(values).where('id', '=', id).execute();
}

/** What is noted about the first mail of a kind. Throws without one. */
export async function mailOfKind({ deps }: Site, kind: Tables['mails']['kind']) {
  return await deps.db.selectFrom('mails').select('data').where('kind', '=', kind).executeTakeFirstOrThrow();
}
