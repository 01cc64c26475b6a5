import { readWrittenDate } from '../../base/written-date.ts';

/**
 * A source's UTC time (ISO 8601, MySQL's format, or milliseconds) in milliseconds. Undefined for none, for
 * which WordPress writes the year 0.
 */
export const utcTime = (written: string | undefined) => readWrittenDate(written ?? '', 'UTC');
