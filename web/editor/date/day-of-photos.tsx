import { formatDate } from '../../../contract/date.ts';
import { datesInWords } from '../../app/date.tsx';
import { useSettings } from '../../app/site.tsx';
import { dateChoice, dayIn } from './chosen-date.ts';

/** Offers the day of the newest photo as the date of a post; nothing if it is today or later. */
export function DayOfPhotos({ taken }: { taken: readonly string[] }) {
  const settings = useSettings();
  const newest = taken.toSorted().at(-1);
  if (newest === undefined) return null;
  // In the form of a photo's date: 2026-10-12. An earlier day is in the past for the server, too.
  const today = dayIn(settings.timeZone);
  if (newest.slice(0, today.length) >= today) return null;
  const day = formatDate(`${newest}Z`, { ...datesInWords(settings), timeZone: 'UTC' });
  return (
    <label className="choice">
      <input type="checkbox" name={dateChoice} value={newest} />
      <span>
        Publish under <bdi>{day}</bdi>, the day of the photos
      </span>
    </label>
  );
}
