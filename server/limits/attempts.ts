import { AppError } from '../../contract/errors.ts';
import { networksOf } from '../base/networks.ts';
import { digestOf } from '../base/secrets.ts';
import { isOver } from '../db/lease.ts';
import type { DbContext } from '../db/transaction.ts';

/** A limit: a number of points in a number of seconds, counted from the first point. */
export type Bucket = { name: string; points: number; seconds: number };

/**
 * Takes a point from a bucket that all processes share. Throws resource-exhausted when it is empty, and then
 * writes nothing, so that a flood of refused attempts causes no flood of writes. The table holds only a
 * digest of what was tried, because people type passwords into the field for the address.
 */
export async function takeAttempt({ db, clock }: DbContext, bucket: Bucket): Promise<void> {
  const now = clock();
  const ms = bucket.seconds * 1_000;
  const expiresAt = now + ms;
  const name = digestOf(bucket.name);
  const spent = await db
    .selectFrom('attempts')
    .select('expires_at')
    .where('name', '=', name)
    .where('points', '>=', bucket.points)
    .where(eb => eb.not(isOver('expires_at', { now, ms })))
    .executeTakeFirst();
  if (spent !== undefined) throw tooMany((spent.expires_at - now) / 1_000);
  const { points, expires_at } = await db
    .insertInto('attempts')
    .values({ name, points: 1, expires_at: expiresAt })
    .onConflict(conflict =>
      conflict.column('name').doUpdateSet(eb => {
        // If the clock was set back, nobody must be locked out for longer than the bucket's time.
        const isOld = isOver('attempts.expires_at', { now, ms });
        return {
          points: eb
            .case()
            .when(isOld)
            .then(1)
            .else(eb('attempts.points', '+', 1))
            .end(),
          expires_at: eb.case().when(isOld).then(expiresAt).else(eb.ref('attempts.expires_at')).end(),
        };
      }),
    )
    .returning(['points', 'expires_at'])
    .executeTakeFirstOrThrow();
  if (points > bucket.points) throw tooMany((expires_at - now) / 1_000);
}

/** Whether an error is the refusal of {@link takeAttempt}. */
export function isTooMany(error: unknown): error is AppError {
  return error instanceof AppError && error.code === 'resource-exhausted';
}

/** Takes a point from the bucket of a network and, for IPv6, from that of the /48 around it. */
export async function takeAttemptFrom(counting: DbContext, network: string, bucket: Bucket): Promise<void> {
  for (const own of bucketsOf(network, bucket)) await takeAttempt(counting, own);
}

/** Returns the points that {@link takeAttemptFrom} took. */
export async function returnAttemptFrom(counting: DbContext, network: string, bucket: Bucket): Promise<void> {
  for (const own of bucketsOf(network, bucket)) await returnAttempt(counting, own);
}

function bucketsOf(network: string, { name, points, seconds }: Bucket): Bucket[] {
  return networksOf(network).map(counted => ({
    name: `${name} ${counted.name}`,
    points: points * counted.times,
    seconds,
  }));
}

/** Returns a point after a successful attempt. */
export async function returnAttempt({ db }: DbContext, bucket: Bucket): Promise<void> {
  await db
    .updateTable('attempts')
    .set(eb => ({ points: eb('points', '-', 1) }))
    .where('name', '=', digestOf(bucket.name))
    .where('points', '>', 0)
    .execute();
}

/** Deletes expired buckets and marks (db/marks.ts). */
export async function sweepAttempts({ db, clock }: DbContext): Promise<void> {
  await db.deleteFrom('attempts').where('expires_at', '<=', clock()).execute();
}

export function tooMany(seconds: number): AppError {
  const wait = Math.max(1, Math.ceil(seconds));
  const minutes = Math.ceil(wait / 60);
  const [count, unit] = wait < 60 ? [wait, 'second'] : [minutes, 'minute'];
  const when = count === 1 ? `a ${unit}` : `${count} ${unit}s`;
  return new AppError('resource-exhausted', `Too many attempts. Please try again in ${when}.`, {
    retryAfterSeconds: wait,
  });
}
