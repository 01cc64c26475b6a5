import { datesInWords } from '../../app/date.tsx';
import { useSettings } from '../../app/site.tsx';
import { Field } from '../../ui/field.tsx';
import { dayIn, dayInWords, dayOf } from './chosen-date.ts';

const dayMs = 24 * 60 * 60 * 1_000;

type EarlierDayProps = {
  date: string;
  isQuiet: boolean;
  onChange(date: string, isQuiet?: boolean): void;
};

/** Lets an author publish under an earlier day, and quietly (docs/decisions/0046). */
export function EarlierDay({ date, isQuiet, onChange }: EarlierDayProps) {
  const settings = useSettings();
  const words = dayInWords(date, datesInWords(settings));
  return (
    <details>
      <summary>
        <span>
          Date: {words === '' ? 'today' : <bdi>{words}</bdi>}
          {isQuiet && ', without telling subscribers'}
        </span>
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
        <input type="checkbox" checked={isQuiet} onChange={event => onChange(date, event.target.checked)} />
        Do not tell subscribers
      </label>
    </details>
  );
}
