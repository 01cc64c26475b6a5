import { Field } from '../ui/field.tsx';

type CodeFieldProps = { label?: string; hint?: string; autoFocus?: boolean };

/** A code of an app, or a recovery code: digits, so that a phone shows its numbers. */
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
