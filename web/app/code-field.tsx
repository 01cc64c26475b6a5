import { Field } from '../ui/field.tsx';

type CodeFieldProps = { label?: string; hint?: string; autoFocus?: boolean; required?: boolean };

/** The field for a code of an app, or a recovery code: both are digits, so a phone shows its number pad. */
export function CodeField({ label = 'Code', ...field }: CodeFieldProps) {
  return (
    <Field
      name="code"
      label={label}
      autoComplete="one-time-code"
      inputMode="numeric"
      autoCapitalize="none"
      spellCheck={false}
      required
      maxLength={30}
      {...field}
    />
  );
}
