import type { Kysely } from 'kysely';
import { accounts, invitations } from './accounts.ts';
import { recordChanges } from './changes.ts';
import { countFileBytes, files } from './files.ts';
import { createHistory } from './history.ts';
import { mail } from './mail.ts';
import { createSearch, posts, tags } from './posts.ts';
import { site } from './site.ts';
import { spellings } from './spelling.ts';

/** The schema of the first release. `server/db/tables` says what the columns hold. */
export async function up(db: Kysely<unknown>, engine: 'sqlite' | 'postgres'): Promise<void> {
  const spelling = spellings[engine];
  // A table comes after those that it refers to.
  const statements = [
    ...accounts(spelling),
    ...tags(spelling),
    ...invitations(spelling),
    ...posts,
    ...files(spelling),
    ...mail,
    ...site,
  ];
  for (const statement of statements) await statement.execute(db);
  await createSearch(db, engine);
  await countFileBytes(db, engine);
  await createHistory(db, engine);
  await recordChanges(db, engine);
}
