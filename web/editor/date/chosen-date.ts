import { type DateStyle, formatDate } from '../../../contract/date.ts';

/** A day in the form of a photo's date: `2026-10-12`. */
export const dayIn = (timeZone: string, at = Date.now()): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone }).format(at);

/** The day of a chosen date, which has the time of a photo or none. */
export const dayOf = (date: string): string => date.slice(0, 'yyyy-mm-dd'.length);

/** The day of a chosen date in words; empty for none. */
export const dayInWords = (date: string, style: DateStyle): string =>
  date === '' ? '' : formatDate(`${dayOf(date)}T12:00:00Z`, { ...style, timeZone: 'UTC' });

/** A chosen date as the server takes it: a day that was chosen without a time is its noon. */
export const withTime = (date: string): string => (date.includes('T') ? date : `${date}T12:00:00`);
