import { formatDate } from '../../../contract/date.ts';
import { useSettings } from '../../app/site.tsx';

/** The name of the choice in the form of the editor. Its value is the date. */
export const dateOfPhotos = 'date';

/** Offers the day of the newest photo as the date of a post; nothing where that is today. */
export function DayOfPhotos({ taken }: { taken: readonly string[] }) {
  const settings = useSettings();
  const newest = taken.toSorted().at(-1);
  if (newest === undefined) return null;
  const day = formatDate(`${newest}Z`, { ...settings, timeZone: 'UTC' });
  const isPast = Date.parse(`${newest}Z`) < Date.now();
  if (!isPast || day === formatDate(new Date().toISOString(), settings)) return null;
  return (
    <label className="choice">
      <input type="checkbox" name={dateOfPhotos} value={newest} />
      Publish under {day}, the day of the photos
    </label>
  );
}
