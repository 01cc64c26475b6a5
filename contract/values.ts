import { z } from 'zod';

/** Ids are opaque: random, so that they tell nothing of how many others there are (decisions.md 3). */
export const Id = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'Invalid id.');

/** A moment as ISO 8601 in UTC. */
export const Moment = z.iso.datetime();

/** A text that every database can keep: PostgreSQL knows neither NUL nor half of a character. */
export const storable = (what: string) =>
  z
    .string()
    .refine(
      text => text.isWellFormed() && !text.includes('\0'),
      `${what} contains characters that cannot be stored.`,
    );

/**
 * A name in its normal form: NFC, trimmed. Marks that stand apart and spaces make it longer as it is written; it is bounded
 * before it gets that form, because putting marks in order takes the square of their number.
 */
export const writtenName = (what: string, max: number) =>
  z
    .string()
    .max(4 * max, `${what} has at most ${max} characters.`)
    .transform(name => name.normalize('NFC').trim());

/** A name on one line, of which nothing is hidden: no control, format or private characters, no half of one. */
export const visible = (what: string) =>
  z.string().regex(/^[^\p{Cc}\p{Cf}\p{Co}\p{Cs}]*$/u, `${what} cannot contain invisible characters.`);
