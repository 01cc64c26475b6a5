import { type KeyboardEvent, type Ref, useId } from 'react';

type MessageBoxProps = {
  ref: Ref<HTMLTextAreaElement>;
  label: string;
  hint?: string | undefined;
  text: string;
  /** The length of the text, if it is to be shown. */
  counted: string | undefined;
  isTooLong: boolean;
  isRequired: boolean;
  isReadOnly?: boolean;
  onChange(text: string): void;
  onSend(): void;
};

/** A labelled box for a message about a post or a comment; Control and Enter send it. */
export function MessageBox({ ref, label, hint, text, counted, isTooLong, ...props }: MessageBoxProps) {
  const id = useId();
  const described = [hint && `${id}-hint`, counted && `${id}-count`].filter(Boolean).join(' ');
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <textarea
        ref={ref}
        id={id}
        className="input"
        dir="auto"
        required={props.isRequired}
        readOnly={props.isReadOnly}
        value={text}
        aria-invalid={isTooLong || undefined}
        aria-describedby={described || undefined}
        onChange={event => {
          event.target.setCustomValidity('');
          props.onChange(event.target.value);
        }}
        onKeyDown={(event: KeyboardEvent) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) props.onSend();
        }}
      />
      {hint !== undefined && (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {counted !== undefined && (
        <p className={isTooLong ? 'error' : 'hint'} id={`${id}-count`}>
          {counted}
        </p>
      )}
    </div>
  );
}
