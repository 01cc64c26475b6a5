import { datesInWords } from '../../app/date.tsx';
import { useSettings } from '../../app/site.tsx';
import { Field } from '../../ui/field.tsx';
import { dayIn, dayInWords, dayOf } from './chosen-date.ts';

const dayMs = 24 * 60 * 60 * 1_000;

/** Lets an author publish under an earlier day, and quietly (docs/decisions/0046). */
export function EarlierDay({ date, onChange }: { date: string; onChange(date: string): void }) {
  const settings = useSettings();
  const words = dayInWords(date, datesInWords(settings));
  return (
    <details>
      <summary>
        <span>Date: {words === '' ? 'today' : <bdi>{words}</bdi>}</span>
      </summary>
      <Field
        name="date"
        type="date"
        className="input"
        label="Day"
        hint="An earlier day that readers see. A draft does not keep it."
        max={dayIn(settings.timeZone, Date.now() - dayMs)}
        value={dayOf(date)}
        onChange={event => onChange(event.target.value)}
      />
      <label className="choice">
        <input type="checkbox" name="isQuiet" />
        Do not tell subscribers
      </label>
    </details>
  );
}
