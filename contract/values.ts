import { z } from 'zod';
import { hasTooManyMarks, mostMarks } from './marks.ts';
import { isWithin } from './text.ts';

/** Ids are opaque and random, so that they do not reveal how many others exist (decision 3). */
export const Id = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'Invalid id.');

/**
 * Identifies a state of something. A change that sends one is refused with aborted if that state has changed
 * since. Without one, nothing is refused for that reason.
 */
export const Version = z.string().max(100);

/** A year of the site's calendar. */
export const Year = z.int().min(1).max(9_999);

/** A moment as ISO 8601 in UTC. */
export const Moment = z.iso.datetime();

/**
 * A text that both databases can store, as PostgreSQL refuses NUL and lone surrogates, and that browsers can
 * show ({@link mostMarks}).
 */
export const storable = (what: string) =>
  z
    .string()
    .refine(
      text => text.isWellFormed() && !text.includes('\0'),
      `${what} contains characters that cannot be stored.`,
    )
    .refine(text => !hasTooManyMarks(text), `${what} has more than ${mostMarks} marks on one letter.`);

/** A text of several lines, trimmed, with one kind of line break (decision 12). */
export const writtenText = (what: string, max: number) =>
  storable(what)
    .transform(text => text.replaceAll(/\r\n?/g, '\n').trim())
    .refine(text => isWithin(text, max), `${what} has at most ${max.toLocaleString('en-US')} characters.`);

/**
 * A name, normalised to NFC and trimmed, which can shorten it. Its length is also limited before, because
 * sorting combining marks takes time with the square of their number.
 */
export const writtenName = (what: string, max: number) =>
  z
    .string()
    .max(4 * max, `${what} has at most ${max} characters.`)
    .transform(name => name.normalize('NFC').trim());

/**
 * Removes the characters that change the direction of all text after them (U+202A to U+202E, U+2066 to
 * U+2069): a title with one would also turn the words beside it in a list, a mail or a feed.
 */
export const withoutBidiControls = (text: string) => text.replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, '');

/** Whether a text has a character that a reader sees: the last ones are letters without a shape. */
export const hasVisible = (text: string) =>
  /[^\s\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2800\u115f\u1160\u3164\uffa0]/u.test(text);

/**
 * A name on one line without invisible characters: no control, format or private-use characters, no lone
 * surrogates.
 */
export const visible = (what: string) =>
  z.string().regex(/^[^\p{Cc}\p{Cf}\p{Co}\p{Cs}]*$/u, `${what} cannot contain invisible characters.`);

/** A picture as a browser sends it: a few hundred kilobytes, because the browser scales it down first. */
export const SentPicture = z.base64('The picture must be in base64.').min(1).max(6_000_000);

/** The path of this site where the link of a mail leads afterwards. */
export const NextPath = storable('The path').max(2_000);
