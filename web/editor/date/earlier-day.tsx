import { formatDate } from '../../../contract/date.ts';
import { datesInWords } from '../../app/date.tsx';
import { useSettings } from '../../app/site.tsx';
import { Field } from '../../ui/field.tsx';
import { dayIn, dayOf } from './chosen-date.ts';

const dayMs = 24 * 60 * 60 * 1_000;

/** Lets an author publish under an earlier day (docs/decisions/0046). */
export function EarlierDay({ date, onChange }: { date: string; onChange(date: string): void }) {
  const settings = useSettings();
  const day = dayOf(date);
  const words = day && formatDate(`${day}T12:00:00Z`, { ...datesInWords(settings), timeZone: 'UTC' });
  return (
    <details>
      <summary>
        <span>Date: {day === '' ? 'today' : <bdi>{words}</bdi>}</span>
      </summary>
      <Field
        name="date"
        type="date"
        className="input"
        label="Day"
        hint="An earlier day that readers see. Subscribers are told now. A draft does not keep it."
        max={dayIn(settings.timeZone, Date.now() - dayMs)}
        value={day}
        onChange={event => onChange(event.target.value)}
      />
    </details>
  );
}
