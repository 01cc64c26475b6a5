import {
  type ComponentProps,
  createContext,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  use,
  useId,
  useState,
} from 'react';

/** The server's errors for the fields within, by their names. */
export const FieldErrors = createContext<Record<string, string>>({});

/** Focuses the first wrong field of a form whose field says itself what the browser's bubble would. */
export const focusFirstWrong = ({ form }: HTMLInputElement) =>
  form?.querySelector<HTMLElement>(':is(input, select, textarea):invalid')?.focus();

type Described = { name: string; label: string; hint?: string };

type FieldProps = ComponentProps<'input'> & Described;

/**
 * A labelled input. The browser checks its limits before the form is sent; the error of the server is shown
 * below.
 */
export function Field({ label, hint, ...input }: FieldProps) {
  return (
    <Labelled name={input.name} label={label} hint={hint}>
      {attributes =>
        input.type === 'password' ? (
          <PasswordInput {...input} {...attributes} />
        ) : (
          <input {...input} {...attributes} />
        )
      }
    </Labelled>
  );
}

/** A password, which can be shown while it is typed. */
function PasswordInput(input: ComponentProps<'input'>) {
  const [isShown, setShown] = useState(false);
  return (
    <span className="password">
      <input {...input} type={isShown ? 'text' : 'password'} autoCapitalize="none" spellCheck={false} />
      <button
        type="button"
        className="eye"
        aria-label="Show what is typed"
        aria-pressed={isShown}
        onClick={() => setShown(!isShown)}
      >
        <svg viewBox="0 0 24 24" aria-hidden="true">
          <path d="M2 12s3.6-6.5 10-6.5S22 12 22 12s-3.6 6.5-10 6.5S2 12 2 12Z" />
          <circle cx="12" cy="12" r="3" />
          {!isShown && <path d="m4 4 16 16" />}
        </svg>
      </button>
    </span>
  );
}

type LongFieldProps = TextareaHTMLAttributes<HTMLTextAreaElement> & Described;

/** Like {@link Field}, for a text of several lines. */
export function LongField({ label, hint, ...textarea }: LongFieldProps) {
  return (
    <Labelled name={textarea.name} label={label} hint={hint}>
      {attributes => <textarea dir="auto" {...textarea} {...attributes} />}
    </Labelled>
  );
}

type Option = readonly [value: string, words: string];
type SelectFieldProps = SelectHTMLAttributes<HTMLSelectElement> &
  Described & {
    options: readonly Option[];
    /** Further ones, each group under its name. */
    groups?: readonly (readonly [name: string, options: readonly Option[]])[];
  };

/** Like {@link Field}, for a choice of one. */
export function SelectField({ label, hint, options, groups = [], ...select }: SelectFieldProps) {
  const listed = (some: readonly Option[]) =>
    some.map(([value, words]) => (
      <option key={value} value={value}>
        {words}
      </option>
    ));
  return (
    <Labelled name={select.name} label={label} hint={hint}>
      {attributes => (
        <select {...select} {...attributes}>
          {listed(options)}
          {groups.map(([name, some]) => (
            <optgroup key={name} label={name}>
              {listed(some)}
            </optgroup>
          ))}
        </select>
      )}
    </Labelled>
  );
}

type Attributes = {
  id: string;
  className: string;
  'aria-invalid': true | undefined;
  'aria-describedby': string | undefined;
};

type LabelledProps = {
  name: string;
  label: string;
  hint: string | undefined;
  children(attributes: Attributes): ReactNode;
};

function Labelled({ name, label, hint, children }: LabelledProps) {
  const id = useId();
  const error = use(FieldErrors)[name];
  const describedBy = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        className: 'input',
        'aria-invalid': error === undefined ? undefined : true,
        'aria-describedby': describedBy || undefined,
      })}
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
