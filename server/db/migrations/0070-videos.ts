import { type Kysely, sql } from 'kysely';

/**
 * Videos and sounds are prepared to play everywhere, as sizes of pictures are made. Those that are there wait
 * as if they had been begun once: what is uploaded from now on comes first.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`update files set variants = null, variants_attempts = 1
    where variants = '[]' and (type like 'video/%' or type like 'audio/%')`.execute(db);
}
