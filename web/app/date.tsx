import { formatDate, formatDateTime } from '../../contract/date.ts';
import { useIsInBrowser } from '../ui/use-is-in-browser.ts';
import { useSettings } from './site.tsx';

/** A date in the site's time zone, so that server and browser write the same (decisions.md 18). */
export function DateTime({ moment, withTime = false }: { moment: string | null; withTime?: boolean }) {
  const dates = useSettings();
  const text = withTime && moment !== null ? formatDateTime(moment, dates) : formatDate(moment, dates);
  return text === '' ? null : <time dateTime={moment ?? undefined}>{text}</time>;
}

const minuteMs = 60_000;
const units = [
  ['day', 24 * 60 * minuteMs],
  ['hour', 60 * minuteMs],
  ['minute', minuteMs],
] as const;
/** What is older than this is told by its date. */
const recentMs = 7 * 24 * 60 * minuteMs;

/**
 * How long ago a moment was, such as "2 hours ago", with the date where a pointer rests on it. The server
 * writes the date, because its page may be read later.
 */
export function Ago({ moment }: { moment: string }) {
  const dates = useSettings();
  const isInBrowser = useIsInBrowser();
  const age = Date.now() - Date.parse(moment);
  if (!isInBrowser || age > recentMs) return <DateTime moment={moment} />;
  const [unit, length] = units.find(([, ms]) => age >= ms) ?? (['minute', minuteMs] as const);
  const words = new Intl.RelativeTimeFormat(dates.dateLanguage, { numeric: 'auto' });
  return (
    <time dateTime={moment} title={formatDateTime(moment, dates)}>
      {words.format(-Math.floor(Math.max(0, age) / length), unit)}
    </time>
  );
}
