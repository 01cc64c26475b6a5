import { formatDate } from '../../contract/date.ts';
import { useSettings } from './site.tsx';

/** A date in the site's time zone, so that server and browser write the same (decisions.md 18). */
export function DateTime({ moment }: { moment: string | null }) {
  const { timeZone } = useSettings();
  const text = formatDate(moment, timeZone);
  return text === '' ? null : <time dateTime={moment ?? undefined}>{text}</time>;
}
