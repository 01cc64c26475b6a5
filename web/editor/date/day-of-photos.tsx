import { formatDate } from '../../../contract/date.ts';
import { datesInWords } from '../../app/date.tsx';
import { useSettings } from '../../app/site.tsx';
import { dayIn, dayOf } from './chosen-date.ts';

type DayOfPhotosProps = { taken: readonly string[]; date: string; onChange(date: string): void };

/** Offers the day of the newest photo as the date of a post; nothing if it is today or later. */
export function DayOfPhotos({ taken, date, onChange }: DayOfPhotosProps) {
  const settings = useSettings();
  const newest = taken.toSorted().at(-1);
  if (newest === undefined) return null;
  // An earlier day is in the past for the server, too.
  if (dayOf(newest) >= dayIn(settings.timeZone)) return null;
  const day = formatDate(`${newest}Z`, { ...datesInWords(settings), timeZone: 'UTC' });
  return (
    <label className="choice">
      <input
        type="checkbox"
        checked={dayOf(date) === dayOf(newest)}
        onChange={event => onChange(event.target.checked ? newest : '')}
      />
      <span>
        Publish under <bdi>{day}</bdi>, the day of the photos
      </span>
    </label>
  );
}
