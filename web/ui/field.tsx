import { createContext, type InputHTMLAttributes, use, useId } from 'react';

/** Why the server did not take the values of the fields within, by their names. */
export const FieldErrors = createContext<Record<string, string>>({});

type FieldProps = InputHTMLAttributes<HTMLInputElement> & {
  name: string;
  label: string;
  hint?: string;
};

/** A labelled input. The browser checks its limits before it is sent; what the server said about it stands below. */
export function Field({ label, hint, ...input }: FieldProps) {
  const id = useId();
  const error = use(FieldErrors)[input.name];
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        {...input}
        id={id}
        className="input"
        aria-invalid={error === undefined ? undefined : true}
        aria-describedby={described || undefined}
      />
      {hint !== undefined && (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error !== undefined && (
        <p className="error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}
