import { type Kysely, sql } from 'kysely';
import type { Tables } from '../db/tables.ts';
import { isPlayed } from '../files/played.ts';
import { hasFfmpeg } from '../files/videos/ffmpeg.ts';
import { isMail } from '../mail/queue.ts';

export type QueueState = { waiting: number; since: number | null };

const state = [sql<number>`count(*)`.as('waiting'), sql<number | null>`min(created_at)`.as('since')] as const;

/** The amount of waiting work in the database, and since when. */
export async function readQueues(
  db: Kysely<Tables>,
): Promise<Record<'mails' | 'transfers' | 'files', QueueState>> {
  const queued = db.selectFrom('mails').where('state', '=', 'queued').where(isMail);
  const unfinished = db.selectFrom('transfers').where('state', 'in', ['waiting', 'running']);
  // Without ffmpeg videos and sounds stay unprepared.
  const unprepared = db
    .selectFrom('files')
    .where('variants', 'is', null)
    .$if(!(await hasFfmpeg()), files => files.where(eb => eb.not(isPlayed)));
  const [mails, transfers, files] = await Promise.all([
    queued.select(state).executeTakeFirstOrThrow(),
    unfinished.select(state).executeTakeFirstOrThrow(),
    unprepared.select(state).executeTakeFirstOrThrow(),
  ]);
  return { mails, transfers, files };
}
