import { formatDate, formatDateTime } from '../../contract/date.ts';
import { useSettings } from './site.tsx';

/** A date in the site's time zone, so that server and browser write the same (decisions.md 18). */
export function DateTime({ moment, withTime = false }: { moment: string | null; withTime?: boolean }) {
  const dates = useSettings();
  const text = withTime && moment !== null ? formatDateTime(moment, dates) : formatDate(moment, dates);
  return text === '' ? null : <time dateTime={moment ?? undefined}>{text}</time>;
}
