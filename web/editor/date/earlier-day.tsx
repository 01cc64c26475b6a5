import { useState } from 'react';
import { formatDate } from '../../../contract/date.ts';
import { datesInWords } from '../../app/date.tsx';
import { useSettings } from '../../app/site.tsx';
import { Field } from '../../ui/field.tsx';
import { dateChoice, dayIn } from './chosen-date.ts';

const dayMs = 24 * 60 * 60 * 1_000;

/** Lets an author publish under an earlier day (docs/decisions/0046). */
export function EarlierDay() {
  const settings = useSettings();
  const [day, setDay] = useState('');
  const words = day && formatDate(`${day}T12:00:00Z`, { ...datesInWords(settings), timeZone: 'UTC' });
  return (
    <details>
      <summary>
        <span>Date: {day === '' ? 'today' : <bdi>{words}</bdi>}</span>
      </summary>
      <Field
        name={dateChoice}
        type="date"
        className="input"
        label="Day"
        hint="An earlier day that readers see. Subscribers are told now. A draft does not keep it."
        max={dayIn(settings.timeZone, Date.now() - dayMs)}
        value={day}
        onChange={event => setDay(event.target.value)}
      />
    </details>
  );
}
