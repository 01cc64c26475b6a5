import type { Kysely } from 'kysely';
import type { Tables } from '../db/tables.ts';

/** The open proposals; those of a denied member do not count. */
export function openProposals(db: Kysely<Tables>) {
  return db
    .selectFrom('proposals')
    .innerJoin('users', 'users.id', 'proposals.user_id')
    .where('users.status', '=', 'approved');
}

export async function oldestProposals(db: Kysely<Tables>, most: number) {
  return await openProposals(db)
    .selectAll('proposals')
    .select('users.display_username as username')
    .orderBy('proposals.created_at')
    .orderBy('proposals.user_id')
    .orderBy('proposals.email')
    .limit(most)
    .execute();
}
