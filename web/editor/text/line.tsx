import { useId } from 'react';
import { oneLine } from '../../../contract/text.ts';
import { type FieldName, isRequired } from '../unsaved/post-fields.ts';
import { Counter } from './counter.tsx';

type LineProps = {
  name: FieldName;
  label: string;
  most: number;
  value: string;
  error: string | undefined;
  onChange(value: string): void;
};

/**
 * One line of text that wraps on a narrow screen. A text that is too long is not cut: the author shortens it.
 */
export function Line({ name, label, most, value, error, onChange }: LineProps) {
  const id = useId();
  const characters = oneLine(value).length;
  const isTooLong = characters > most;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <textarea
        id={id}
        name={name}
        dir="auto"
        className="input line"
        rows={1}
        required={isRequired(name)}
        value={value}
        aria-invalid={error !== undefined || isTooLong || undefined}
        aria-describedby={isTooLong ? `${id}-limit` : error === undefined ? undefined : `${id}-error`}
        // A pasted line break becomes a space.
        onChange={event => onChange(event.currentTarget.value.replaceAll(/[\r\n]+/g, ' '))}
        onKeyDown={event => {
          if (event.key === 'Enter') event.preventDefault();
        }}
      />
      <Counter id={`${id}-limit`} characters={characters} most={most} of={`A ${name}`} isQuiet />
      {error !== undefined && (
        <p className="error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}
