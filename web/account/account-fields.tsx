import { fullName, password, username } from '../../contract/constants.ts';
import { AppError } from '../../contract/errors.ts';
import { Field } from '../ui/field.tsx';

/** What a new account consists of, with the limits of specification section 5. */
export function AccountFields({ errors }: { errors: Record<string, string> }) {
  return (
    <>
      <Field
        name="username"
        label="Username"
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        required
        minLength={username.min}
        maxLength={username.max}
        pattern={username.pattern.source.replace(/^\^|\$$/g, '')}
        title="Username can only contain letters, numbers, and underscores"
        hint={`${username.min} to ${username.max} letters, numbers, and underscores`}
        error={errors.username}
      />
      <Field
        name="name"
        label="Full Name"
        autoComplete="name"
        required
        minLength={fullName.min}
        maxLength={fullName.max}
        error={errors.name}
      />
      <Field name="email" type="email" label="Email" autoComplete="email" required error={errors.email} />
      <Field
        name="password"
        type="password"
        label="Password"
        autoComplete="new-password"
        required
        minLength={password.min}
        maxLength={password.max}
        hint={`${password.min} to ${password.max} characters`}
        error={errors.password}
      />
    </>
  );
}

/** The account that a form holds. */
export function readAccount(form: FormData) {
  const text = (name: string) => String(form.get(name) ?? '');
  return { username: text('username'), name: text('name'), email: text('email'), password: text('password') };
}

/** What the server said about each field, by the field's own name wherever it stands in the input. */
export function fieldErrors(error: unknown): Record<string, string> {
  const fields = error instanceof AppError ? (error.details?.fields ?? {}) : {};
  return Object.fromEntries(
    Object.entries(fields).map(([path, text]) => [path.split('.').at(-1) ?? path, text]),
  );
}
