import { Field } from '../ui/field.tsx';

/** A hidden field with the address, which tells a password manager whose password it is. */
export function KnownEmail({ email }: { email: string }) {
  return <input type="email" autoComplete="username" value={email} readOnly hidden />;
}

/** The field for the current password, before a change that only the owner may make. */
export function CurrentPasswordField({ autoFocus = false }: { autoFocus?: boolean }) {
  return (
    <Field
      name="currentPassword"
      type="password"
      label="Your password"
      autoComplete="current-password"
      required
      autoFocus={autoFocus}
    />
  );
}
