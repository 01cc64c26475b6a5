import { type ComponentProps, use, useState } from 'react';
import { fullName, password, username } from '../../contract/constants.ts';
import { fieldText } from '../app/form.tsx';
import { useNavigate } from '../app/navigation.ts';
import { KnownEmail } from '../app/password-fields.tsx';
import { routes } from '../app/routes.ts';
import { useSetViewer } from '../app/site.tsx';
import type { Viewer } from '../app/viewer.ts';
import { Field, FieldErrors, focusFirstWrong } from '../ui/field.tsx';

type AccountFieldsProps = {
  values?: { username?: string | undefined; name?: string | undefined; email?: string | undefined };
  /** Whether there is a field for the address; an invitation may already have one. */
  asksEmail?: boolean;
  asksPassword?: boolean;
};

/** The fields of a new account, with the limits of specification section 5. */
export function AccountFields({ values, asksEmail = true, asksPassword = true }: AccountFieldsProps) {
  return (
    <>
      <UsernameField defaultValue={values?.username} />
      <FullNameField defaultValue={values?.name} />
      {asksEmail && (
        <Field
          name="email"
          type="email"
          label="Email"
          autoComplete="email"
          required
          defaultValue={values?.email}
        />
      )}
      {!asksEmail && asksPassword && <KnownEmail email={values?.email ?? ''} />}
      {asksPassword && <NewPasswordField name="password" label="Password" />}
    </>
  );
}

const usernameCharacters = 'Username can only contain letters, numbers, and underscores';

/** A new username. The browser's bubble goes; what is wrong stays below the field until it is mended. */
function UsernameField({ defaultValue }: { defaultValue: string | undefined }) {
  const errors = use(FieldErrors);
  const [isWrong, setWrong] = useState(false);
  return (
    <FieldErrors value={isWrong ? { ...errors, username: `${usernameCharacters}.` } : errors}>
      <Field
        name="username"
        label="Username"
        // Not "username": a password manager would save it for logging in, which needs the address.
        autoComplete="nickname"
        autoCapitalize="none"
        spellCheck={false}
        required
        minLength={username.min}
        maxLength={username.max}
        pattern={username.pattern.source.replace(/^\^|\$$/g, '')}
        title={usernameCharacters}
        hint={`${username.min} to ${username.max} letters, numbers, and underscores`}
        defaultValue={defaultValue}
        onInvalid={({ currentTarget }) => setWrong(currentTarget.validity.patternMismatch)}
        onChange={({ currentTarget }) => isWrong && setWrong(currentTarget.validity.patternMismatch)}
      />
    </FieldErrors>
  );
}

/** Returns a function that takes the owner of a new account to the timeline. */
export function useEnter(): (viewer: Viewer) => void {
  const setViewer = useSetViewer();
  const navigate = useNavigate();
  return viewer => {
    setViewer(viewer);
    navigate(routes.timeline.href(), { replace: true });
  };
}

export function readAccount(form: FormData) {
  return {
    username: fieldText(form, 'username'),
    name: fieldText(form, 'name'),
    email: fieldText(form, 'email'),
    password: fieldText(form, 'password'),
  };
}

type FullNameFieldProps = { label?: string; autoComplete?: string; defaultValue?: string | undefined };

export function FullNameField({ label = 'Full Name', autoComplete = 'name', ...field }: FullNameFieldProps) {
  return (
    <LimitedField
      name="name"
      label={label}
      autoComplete={autoComplete}
      limits={fullName}
      tooLong={`A name has at most ${fullName.max} characters.`}
      {...field}
    />
  );
}

/** Safari generates passwords by these rules; other programs read them, too. */
const rules = { passwordrules: `minlength: ${password.min}; maxlength: ${password.max};` };

export function NewPasswordField({ name, label }: { name: string; label: string }) {
  return (
    <LimitedField
      {...rules}
      name={name}
      type="password"
      label={label}
      autoComplete="new-password"
      limits={password}
      tooLong={`A password has at most ${password.max} characters.`}
    />
  );
}

type LimitedFieldProps = ComponentProps<typeof Field> & {
  limits: { min: number; max: number };
  /** What a longer text is told. */
  tooLong: string;
};

/**
 * A required field with its limits. A longer text is not cut (`maxLength` would do so silently, and logging
 * in with the whole of a password would be refused): the field says so at once, and the form is not sent.
 */
function LimitedField({ limits: { min, max }, tooLong, ...field }: LimitedFieldProps) {
  const errors = use(FieldErrors);
  const [isTooLong, setTooLong] = useState(false);
  return (
    <FieldErrors value={isTooLong ? { ...errors, [field.name]: tooLong } : errors}>
      <Field
        {...field}
        required
        minLength={min}
        hint={`${min} to ${max} characters`}
        onChange={({ currentTarget }) => {
          const isLong = currentTarget.value.length > max;
          setTooLong(isLong);
          currentTarget.setCustomValidity(isLong ? tooLong : '');
        }}
        onInvalid={event => {
          // The browser would say the same again, over our sentence.
          if (!isTooLong) return;
          event.preventDefault();
          focusFirstWrong(event.currentTarget);
        }}
      />
    </FieldErrors>
  );
}
