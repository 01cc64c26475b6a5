const year = String.raw`(\d{4})`;
const day = String.raw`${year}[-/.](\d{1,2})[-/.](\d{1,2})`;
const clockTime = String.raw`(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?`;
const numeric = new RegExp(
  String.raw`^${day}(?:(?:[Tt]|\s+)${clockTime})?\s*(Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)?$`,
  'i',
);
const endsWithZone = /(?:\bZ|UTC|GMT|[+-]\d{2}:?\d{2}|\b[ECMP][SD]T)\)?$/i;

/** The years that ISO 8601 writes with four digits, as the contract requires. */
const earliest = Date.parse('0001-01-01T00:00:00Z');
const latest = Date.parse('9999-12-31T00:00:00Z');

/**
 * The moment that a person wrote as a date, in milliseconds; undefined if it is not clear. A date without a
 * zone is in the site's time zone, in which it is also shown (decision 18), so the written day is the
 * shown day.
 */
export function readWrittenDate(text: string, timeZone: string): number | undefined {
  return storableTime(parse(text.trim(), timeZone));
}

/** A time in whole milliseconds; undefined if the contract cannot express it. */
export function storableTime(time: number | undefined): number | undefined {
  return time !== undefined && time >= earliest && time <= latest ? Math.floor(time) : undefined;
}

function parse(text: string, timeZone: string): number | undefined {
  // Seconds and milliseconds since 1970.
  if (/^\d{9,10}$/.test(text)) return Number(text) * 1_000;
  if (/^\d{12,13}$/.test(text)) return Number(text);
  const compact = /^(\d{4})(\d{2})(\d{2})$/.exec(text);
  const parts = numeric.exec(
    compact ? compact.slice(1).join('-') : /^\d{4}$/.test(text) ? `${text}-01-01` : text,
  );
  if (parts) return fromParts(parts, timeZone);
  // `January 5, 2020` and the like. The engine accepts almost anything as a date, so the text must have a
  // year and a month.
  if (!/\b\d{4}\b/.test(text) || !/\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)/i.test(text))
    return undefined;
  const hasZone = endsWithZone.test(text);
  const time = Date.parse(hasZone ? text : `${text} UTC`);
  if (Number.isNaN(time)) return undefined;
  return hasZone ? time : inZone(time, timeZone);
}

function fromParts(
  [, years = '', months = '', days = '', ...rest]: string[],
  timeZone: string,
): number | undefined {
  const [hours = '0', minutes = '0', seconds = '0', fraction = '', zone] = rest;
  const pad = (digits: string) => digits.padStart(2, '0');
  const date = `${years}-${pad(months)}-${pad(days)}`;
  const time = Date.parse(
    `${date}T${pad(hours)}:${pad(minutes)}:${pad(seconds)}.${fraction.slice(0, 3).padEnd(3, '0')}Z`,
  );
  // The engine reads 31 February as 3 March.
  if (Number.isNaN(time) || (hours !== '24' && new Date(time).toISOString().slice(0, 10) !== date))
    return undefined;
  return zone === undefined ? inZone(time, timeZone) : time - readOffset(zone);
}

/**
 * The moment at which clocks in a zone show what UTC shows at `time`; for a time that they skip, the moment
 * at which they show it later by the skipped time.
 */
function inZone(time: number, timeZone: string): number {
  const guess = time - offsetOf(time, timeZone);
  const found = time - offsetOf(guess, timeZone);
  const isShown = found + offsetOf(found, timeZone) === time;
  return isShown ? found : Math.max(found, guess);
}

/**
 * The moment at which clocks in one zone show what those in another show at `time`; `time` itself for an
 * unknown zone.
 */
export function sameClock(time: number, from: string, timeZone: string): number {
  try {
    return inZone(time + offsetOf(time, from), timeZone);
  } catch (error) {
    if (error instanceof RangeError) return time;
    throw error;
  }
}

/** How far a zone's clocks are ahead of UTC, in milliseconds. */
function offsetOf(time: number, timeZone: string): number {
  if (timeZone === 'UTC') return 0;
  const name = offsetFormat(timeZone)
    .formatToParts(time)
    .find(part => part.type === 'timeZoneName')?.value;
  return readOffset(name ?? '');
}

/** Cached: making a format takes a hundred times as long as using it. */
const offsetFormats = new Map<string, Intl.DateTimeFormat>();
function offsetFormat(timeZone: string): Intl.DateTimeFormat {
  const known = offsetFormats.get(timeZone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  offsetFormats.set(timeZone, format);
  return format;
}

/** The milliseconds of an offset such as `+01:00` at the end of a text; 0 for `Z` or `GMT`. */
function readOffset(text: string): number {
  const [, sign, hours = '0', minutes = '0', seconds = '0'] =
    /([+-])(\d{2}):?(\d{2})?(?::(\d{2}))?$/.exec(text) ?? [];
  const offset = (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) * 1_000;
  return sign === '-' ? -offset : offset;
}
