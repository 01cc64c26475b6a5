import type { Contents } from '../../server/mail/contents.ts';
import type { Person, Site } from './site.ts';

/** What the owner of an account was told of by mail so far, ordered by kind; read before it is sent. */
export async function noticesOf(
  { deps }: Site,
  person: Pick<NonNullable<Person>, 'id'>,
): Promise<Contents['notice'][]> {
  const rows = await deps.db
    .selectFrom('mails')
    .select('data')
    .where('kind', '=', 'notice')
    .where('user_id', '=', person.id)
    .orderBy('data')
    .execute();
  return rows.map(row => JSON.parse(row.data));
}
