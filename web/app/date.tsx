import { formatDate, formatDateTime } from '../../contract/date.ts';
import { agoInWords } from '../ui/ago.ts';
import { minuteMs, useMinute } from '../ui/use-minute.ts';
import { useSettings } from './site.tsx';

/** A date in the site's time zone, so that server and browser write the same (decisions.md 18). */
export function DateTime({ moment, withTime = false }: { moment: string | null; withTime?: boolean }) {
  const dates = useSettings();
  const text = withTime && moment !== null ? formatDateTime(moment, dates) : formatDate(moment, dates);
  return text === '' ? null : <time dateTime={moment ?? undefined}>{text}</time>;
}

/** Older moments are shown as dates. */
const recentMs = 7 * 24 * 60 * minuteMs;

/**
 * How long ago a moment was, such as "2 hours ago", with the date on hover. The server writes the date,
 * because its page may be read later.
 */
export function Ago({ moment }: { moment: string }) {
  const dates = useSettings();
  const minute = useMinute();
  // Rendered again each minute.
  const age = Date.now() - Date.parse(moment);
  if (minute === null || age > recentMs) return <DateTime moment={moment} />;
  return (
    <time dateTime={moment} title={formatDateTime(moment, dates)}>
      {agoInWords(age, dates.dateLanguage)}
    </time>
  );
}
