import { useId } from 'react';

type ChoiceProps = {
  label: string;
  hint?: string;
  isOn: boolean;
  onChange(isOn: boolean): void;
};

/** A checkbox that saves its choice at once. */
export function Choice({ label, hint, isOn, onChange }: ChoiceProps) {
  const id = useId();
  return (
    <div className="field">
      <label className="choice scripted">
        <input
          type="checkbox"
          checked={isOn}
          onChange={event => onChange(event.currentTarget.checked)}
          aria-describedby={hint && id}
        />{' '}
        {label}
      </label>
      {hint !== undefined && (
        <p className="hint" id={id}>
          {hint}
        </p>
      )}
    </div>
  );
}
