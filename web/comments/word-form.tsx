import { type FormEvent, type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { countCharacters } from '../../contract/text.ts';
import { amount, number } from '../ui/amount.ts';
import { Notice } from '../ui/notice.tsx';
import { SubmitButton } from '../ui/submit-button.tsx';

type WordFormProps = {
  label: string;
  hint?: string;
  /** The text to begin with. */
  text?: string;
  mostCharacters: number;
  isOptional?: boolean;
  /** On the button, and while it is being sent. */
  verb: string;
  busyVerb: string;
  /** Sends the text; the form stays open with it if that fails. */
  onSend(text: string): Promise<unknown>;
  onCancel(): void;
};

/** A small form for a few words about a comment. It has the focus when it appears; Escape closes it. */
export function WordForm(props: WordFormProps) {
  const { label, hint, mostCharacters, isOptional = false, verb, busyVerb, onSend, onCancel } = props;
  const id = useId();
  const box = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState(props.text ?? '');
  const [problem, setProblem] = useState('');
  const [isBusy, setBusy] = useState(false);
  useEffect(() => {
    box.current?.focus();
    box.current?.setSelectionRange(box.current.value.length, box.current.value.length);
  }, []);
  const length = countCharacters(text.trim());
  const isTooLong = length > mostCharacters;
  const send = async () => {
    if (isBusy || isTooLong) return;
    if (length === 0 && !isOptional) return box.current?.focus();
    setBusy(true);
    setProblem('');
    try {
      await onSend(text);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : '');
      setBusy(false);
    }
  };
  return (
    <form
      className="form"
      noValidate
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        void send();
      }}
      onKeyDown={(event: KeyboardEvent) => {
        if (event.key === 'Escape') onCancel();
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void send();
      }}
    >
      <div className="field">
        <label htmlFor={id}>{label}</label>
        <textarea
          ref={box}
          id={id}
          className="input"
          dir="auto"
          required={!isOptional}
          value={text}
          aria-invalid={isTooLong || undefined}
          aria-describedby={hint === undefined ? undefined : `${id}-hint`}
          onChange={event => setText(event.target.value)}
        />
        {hint !== undefined && (
          <p className="hint" id={`${id}-hint`}>
            {hint}
          </p>
        )}
        {isTooLong && (
          <p className="error">{`${number(length)} of ${amount(mostCharacters, 'character')}`}</p>
        )}
      </div>
      {problem !== '' && <Notice text={problem} />}
      <div className="acts">
        <SubmitButton isBusy={isBusy}>{isBusy ? busyVerb : verb}</SubmitButton>
        <button type="button" className="quiet" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  );
}
