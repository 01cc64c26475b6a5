import { formatDate } from '../../../contract/date.ts';
import { datesInWords } from '../../app/date.tsx';
import { useSettings } from '../../app/site.tsx';

/** The name of the choice in the form of the editor. Its value is the date. */
export const dateOfPhotos = 'date';

/** A day in the form of a photo's date: `2026-10-12`. */
export const dayIn = (timeZone: string, at = Date.now()): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone }).format(at);

/** The date that an author has chosen in the form of the editor; undefined for none. */
export function chosenDate(choices: FormData): string | undefined {
  const [date] = choices.getAll(dateOfPhotos).map(String).filter(Boolean);
  // A day that was chosen without a time is its noon.
  return date === undefined || date.includes('T') ? date : `${date}T12:00:00`;
}

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
      <input type="checkbox" name={dateOfPhotos} value={newest} />
      <span>
        Publish under <bdi>{day}</bdi>, the day of the photos
      </span>
    </label>
  );
}
