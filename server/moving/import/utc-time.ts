import { readWrittenDate } from '../../base/written-date.ts';

/**
 * A time that a source writes in UTC, as ISO 8601, as MySQL does, or in milliseconds: in milliseconds.
 * Undefined where there is none, for which WordPress writes the year 0.
 */
export const utcTime = (written: string | undefined) => readWrittenDate(written ?? '', 'UTC');
