import { type FormEvent, type KeyboardEvent, useEffect, useState } from 'react';
import { isComposing } from '../ui/is-composing.ts';
import { Notice } from '../ui/notice.tsx';
import { SubmitButton } from '../ui/submit-button.tsx';
import { MessageBox } from './message-box.tsx';
import { useMessage } from './use-message.ts';

type MessageFormProps = {
  label: string;
  hint?: string;
  text?: string;
  mostCharacters: number;
  /** Shown if nothing is written; left out if the text may be empty. */
  missing?: string;
  /** The words on the button, and while it is being sent. */
  verb: string;
  busyVerb: string;
  /** Called with each change, to store it. */
  onType?(text: string): void;
  /** Sends the text; the form stays open with it if that fails. */
  onSend(text: string): Promise<unknown>;
  onCancel(): void;
  /** Closes the form on Escape, if that differs from Cancel. */
  onEscape?(): void;
};

/** A small form for a message about a comment. It gets the focus when it appears; Escape closes it. */
export function MessageForm(props: MessageFormProps) {
  const { label, hint, mostCharacters, missing, verb, busyVerb, onType, onSend, onCancel } = props;
  const { onEscape = onCancel } = props;
  const [text, setText] = useState(props.text ?? '');
  const [problem, setProblem] = useState('');
  const [isBusy, setBusy] = useState(false);
  const { box, check, ...words } = useMessage(text, mostCharacters, missing);
  useEffect(() => {
    box.current?.focus();
    box.current?.setSelectionRange(box.current.value.length, box.current.value.length);
  }, [box]);
  const send = async () => {
    if (isBusy || !check()) return;
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
        if (event.key === 'Escape' && !isComposing(event)) onEscape();
      }}
    >
      <MessageBox
        ref={box}
        label={label}
        hint={hint}
        text={text}
        {...words}
        isRequired={missing !== undefined}
        onChange={next => {
          setText(next);
          onType?.(next);
        }}
        onSend={() => void send()}
      />
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
