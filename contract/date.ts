/** How dates are written: settings of the site. */
export type DateStyle = { timeZone: string; dateLanguage: string };

const formats = new Map<string, Intl.DateTimeFormat>();
const parts = {
  day: { year: 'numeric', month: 'long', day: 'numeric' },
  minute: { dateStyle: 'long', timeStyle: 'short', hourCycle: 'h23' },
} as const;

/** A time in milliseconds as it is sent: ISO 8601, in UTC. */
export function moment(time: number): string;
export function moment(time: number | null): string | null;
export function moment(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}

function formatOf(precision: keyof typeof parts, { timeZone, dateLanguage }: DateStyle): Intl.DateTimeFormat {
  const name = `${precision} ${timeZone} ${dateLanguage}`;
  const format =
    formats.get(name) ?? new Intl.DateTimeFormat(dateLanguage, { ...parts[precision], timeZone });
  formats.set(name, format);
  return format;
}

/**
 * A date as long month, day and year, in US English unless the site has another language for dates; empty for
 * an invalid date (specification section 2).
 */
export function formatDate(moment: string | null, style: DateStyle): string {
  const date = new Date(moment ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? '' : formatOf('day', style).format(date);
}

/** A date with its time of day, to the minute: `January 5, 2026 at 14:03`. */
export function formatDateTime(moment: string, style: DateStyle): string {
  return formatOf('minute', style).format(new Date(moment));
}

/**
 * Whether this is the IANA name of a time zone. Each answer with the settings of the site asks. A start need
 * not load the names for the usual one, which takes 10 ms.
 */
export function isTimeZone(name: string): boolean {
  return name === 'UTC' || isKnown(() => formatOf('day', { timeZone: name, dateLanguage: 'en-US' }));
}

export function isLanguage(tag: string): boolean {
  return isKnown(() => tag !== '' && Intl.DateTimeFormat.supportedLocalesOf(tag).length > 0);
}

function isKnown(ask: () => unknown): boolean {
  try {
    return ask() !== false;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
