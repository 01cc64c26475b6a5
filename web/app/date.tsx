import { type DateStyle, formatDate, formatDateTime } from '../../contract/date.ts';
import { agoInWords } from '../ui/ago.ts';
import { minuteMs, useMinute } from '../ui/use-minute.ts';
import { useSettings } from './site.tsx';

/** How the interface writes dates: its words are English, those of its content (posts, comments) are not. */
export function datesInWords({ timeZone, dateLanguage }: DateStyle): DateStyle {
  return { timeZone, dateLanguage: /^en\b/i.test(dateLanguage) ? dateLanguage : 'en-US' };
}

/**
 * A date of the interface, in the site's time zone, so that server and browser write the same
 * (decision 18).
 */
export function DateTime({ moment, withTime = false }: { moment: string | null; withTime?: boolean }) {
  const dates = datesInWords(useSettings());
  const text = withTime && moment !== null ? formatDateTime(moment, dates) : formatDate(moment, dates);
  return text === '' ? null : <time dateTime={moment ?? undefined}>{text}</time>;
}

/** The date of a post or a comment, in the site's language of dates. */
export function ContentDate({ moment }: { moment: string | null }) {
  const text = formatDate(moment, useSettings());
  return text === '' ? null : <time dateTime={moment ?? undefined}>{text}</time>;
}

/** Older moments are shown as dates. */
const recentMs = 7 * 24 * 60 * minuteMs;

/**
 * How long ago a moment was, such as "2 hours ago", with the date on hover; `isContent` as in
 * `datesInWords`. The server writes the date, because its page may be read later.
 */
export function Ago({ moment, isContent = true }: { moment: string; isContent?: boolean }) {
  const settings = useSettings();
  const dates = isContent ? settings : datesInWords(settings);
  const minute = useMinute();
  // Rendered again each minute.
  const age = Date.now() - Date.parse(moment);
  const isOld = minute === null || age > recentMs;
  return (
    <time dateTime={moment} title={isOld ? undefined : formatDateTime(moment, dates)}>
      {isOld ? formatDate(moment, dates) : agoInWords(age, dates.dateLanguage)}
    </time>
  );
}
