import { type ComponentProps, use, useState } from 'react';
import { Field, FieldErrors } from '../ui/field.tsx';

/**
 * The address that was typed, so that the next way to log in need not ask for it again. It lasts as long as
 * the page, and is in no address and no storage.
 */
let typed = '';

/** Forgets the typed address, once somebody has logged in. */
export function forgetLoginEmail(): void {
  typed = '';
}

const wrong = 'Enter your email address, such as anna@example.com. A username does not work here.';

/**
 * The address of an account, to log in. The browser's bubble goes; what is wrong stays below the field until
 * it is mended.
 */
export function LoginEmailField({
  autoComplete = 'username',
  ref,
}: Pick<ComponentProps<typeof Field>, 'autoComplete' | 'ref'>) {
  const errors = use(FieldErrors);
  const [isWrong, setWrong] = useState(false);
  return (
    <FieldErrors value={isWrong ? { ...errors, email: wrong } : errors}>
      <Field
        ref={ref}
        name="email"
        type="email"
        label="Email"
        autoComplete={autoComplete}
        required
        defaultValue={typed}
        onInvalid={({ currentTarget }) => setWrong(currentTarget.validity.typeMismatch)}
        onChange={({ currentTarget }) => {
          typed = currentTarget.value;
          if (isWrong) setWrong(currentTarget.validity.typeMismatch);
        }}
      />
    </FieldErrors>
  );
}
