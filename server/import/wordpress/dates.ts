import { readWrittenDate } from '../../written-date.ts';

/** A time that WordPress writes in UTC, in milliseconds; undefined for none, which it writes as year 0. */
export function utcTime(written: string | undefined): number | undefined {
  return siteTime(written, 'UTC');
}

/** The same, of the clocks of a time zone. */
export function siteTime(written: string | undefined, timeZone: string): number | undefined {
  const text = written?.trim() ?? '';
  return text === '' || text.startsWith('0000') ? undefined : readWrittenDate(text, timeZone);
}
