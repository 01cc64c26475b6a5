const formats = new Map<string, Intl.DateTimeFormat>();
const formatsWithTime = new Map<string, Intl.DateTimeFormat>();

/** A time in milliseconds as it is sent: ISO 8601, in UTC. */
export function moment(time: number): string;
export function moment(time: number | null): string | null;
export function moment(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}

/** A date as long month, day and year in US English; empty for an invalid date (specification section 2). */
export function formatDate(moment: string | null, timeZone: string): string {
  const date = new Date(moment ?? Number.NaN);
  if (Number.isNaN(date.getTime())) return '';
  let format = formats.get(timeZone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', { year: 'numeric', month: 'long', day: 'numeric', timeZone });
    formats.set(timeZone, format);
  }
  return format.format(date);
}

/** A date with its time of day, to the minute: `January 5, 2026 at 14:03`. */
export function formatDateTime(moment: string, timeZone: string): string {
  let format = formatsWithTime.get(timeZone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', {
      dateStyle: 'long',
      timeStyle: 'short',
      hourCycle: 'h23',
      timeZone,
    });
    formatsWithTime.set(timeZone, format);
  }
  return format.format(new Date(moment));
}
