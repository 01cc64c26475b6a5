import { hourMs } from './clock.ts';
import { readWrittenDate } from './written-date.ts';

/** Milliseconds since 1970, the end excluded. */
export type Span = { from: number; until: number };

export type Month = { year: number; month: number };
export type Day = Month & { day: number };

/** A month of the site's calendar, or a whole year. */
export function spanOf(year: number, month: number | undefined, timeZone: string): Span {
  const from = startOf({ year, month: month ?? 1 }, timeZone);
  const next =
    month === undefined || month === 12 ? { year: year + 1, month: 1 } : { year, month: month + 1 };
  return { from, until: startOf(next, timeZone) };
}

/** A day of the site's calendar; undefined if its year does not have it. */
export function spanOfDay({ year, month, day }: Day, timeZone: string): Span | undefined {
  const from = readWrittenDate(`${monthText(year, month)}-${String(day).padStart(2, '0')}`, timeZone);
  if (from === undefined) return undefined;
  const next = new Date(Date.UTC(year, month - 1, day + 1)).toISOString().slice(0, 10);
  return { from, until: readWrittenDate(next, timeZone) ?? from };
}

/** The date that the site's calendar shows at a moment. */
export function dateOf(time: number, timeZone: string): Day {
  const parts = formatIn(timeZone).formatToParts(time);
  const number = (type: 'year' | 'month' | 'day') => Number(parts.find(part => part.type === type)?.value);
  return { year: number('year'), month: number('month'), day: number('day') };
}

/** The same as text, such as `2026-05-01`. */
export function dayText(time: number, timeZone: string): string {
  const { year, month, day } = dateOf(time, timeZone);
  return `${monthText(year, month)}-${String(day).padStart(2, '0')}`;
}

/**
 * The last moment, now or earlier, at which the site's clock reached a time of day such as `03:30`, on a
 * weekday (0 is Sunday) if one is given; 0 for a text that is no time. On a day whose clock skips that time
 * it is later by the skipped time; on one that has it twice, the second counts.
 */
export function lastTimeOfDay(now: number, at: string, timeZone: string, weekday?: number): number {
  const { year, month, day } = dateOf(now, timeZone);
  // A week and a day: today's may still be to come.
  for (let daysAgo = 0; daysAgo <= 8; daysAgo += 1) {
    const date = new Date(Date.UTC(year, month - 1, day - daysAgo));
    if (weekday !== undefined && date.getUTCDay() !== weekday) continue;
    const time = timeShown(`${date.toISOString().slice(0, 10)} ${at}`, timeZone);
    if (time !== undefined && time <= now) return time;
  }
  return 0;
}

/** When the site's clock last shows such a date and time. */
function timeShown(written: string, timeZone: string): number | undefined {
  const time = readWrittenDate(written, timeZone);
  if (time === undefined) return undefined;
  // Sweden's date format is that of ISO 8601.
  const clock = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
  const later = time + hourMs;
  return clock.format(later) === written ? later : time;
}

const formats = new Map<string, Intl.DateTimeFormat>();
function formatIn(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
  });
  formats.set(timeZone, format);
  return format;
}

/** The first moments of months, cached: computing one consults the rules of the time zone. */
const starts = new Map<string, number>();
const mostStarts = 10_000;

/** The first moment of a month. No post is before the year 1 or after 9999. */
function startOf({ year, month }: Month, timeZone: string): number {
  const name = `${timeZone} ${year} ${month}`;
  const known = starts.get(name);
  if (known !== undefined) return known;
  const outside = year > 9_999 ? Date.UTC(10_000) : Date.parse('0001-01-01');
  const start = readWrittenDate(`${monthText(year, month)}-01`, timeZone) ?? outside;
  if (starts.size >= mostStarts) starts.clear();
  starts.set(name, start);
  return start;
}

const monthText = (year: number, month: number) =>
  `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}`;
