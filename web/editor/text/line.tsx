import { useId } from 'react';

type LineProps = {
  name: string;
  label: string;
  maxLength: number;
  value: string;
  error: string | undefined;
  onChange(value: string): void;
};

/** One line of text that wraps instead of running out of a narrow screen. */
export function Line({ name, label, maxLength, value, error, onChange }: LineProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <textarea
        id={id}
        name={name}
        dir="auto"
        className="input line"
        rows={1}
        required
        maxLength={maxLength}
        value={value}
        aria-invalid={error === undefined ? undefined : true}
        aria-describedby={error === undefined ? undefined : `${id}-error`}
        // A line break that was pasted is a space.
        onChange={event => onChange(event.currentTarget.value.replaceAll(/[\r\n]+/g, ' '))}
        onKeyDown={event => {
          if (event.key === 'Enter') event.preventDefault();
        }}
      />
      {error !== undefined && (
        <p className="error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}
