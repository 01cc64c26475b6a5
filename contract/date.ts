const formats = new Map<string, Intl.DateTimeFormat>();

/** A date as long month, day and year in US English; empty for one that is none (specification section 2). */
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
