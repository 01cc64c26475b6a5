import { Field } from '../ui/field.tsx';

/** The address of a form that does not ask for it: a password manager asks whose password it is. */
export function KnownEmail({ email }: { email: string }) {
  return <input type="email" autoComplete="username" value={email} readOnly hidden />;
}

/** The password that the account has, before something is changed that only its owner may change. */
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
