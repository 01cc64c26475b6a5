import { formatDate, formatDateTime } from '../../contract/date.ts';
import { useSettings } from './site.tsx';

/** A date in the site's time zone, so that server and browser write the same (decisions.md 18). */
export function DateTime({ moment, withTime = false }: { moment: string | null; withTime?: boolean }) {
  const { timeZone } = useSettings();
  const text = withTime && moment !== null ? formatDateTime(moment, timeZone) : formatDate(moment, timeZone);
  return text === '' ? null : <time dateTime={moment ?? undefined}>{text}</time>;
}
