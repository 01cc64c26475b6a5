import { z } from 'zod';

/** The `nextCursor` of an earlier page, to continue after it. */
export const Cursor = z.string().max(400);

/** The input of a list that has no other parameters. */
export const Continuation = z.strictObject({ after: Cursor.nullish() }).nullish();

/** What to pass as `after` for the next page; null on the last. */
export const nextCursor = z.string().nullable();
