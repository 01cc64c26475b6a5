import { AlertDialog } from '@base-ui/react/alert-dialog';
import { useRef, useState } from 'react';
import { useBackCloses } from './back-closes.ts';

export type Question = {
  text: string;
  /** The label of the confirming button, which names the action ('Delete'). Without one it is an alert. */
  action?: string;
  cancel?: string;
  /** Further lines of text. */
  details?: readonly string[];
  /** Whether the action cannot be undone. */
  isDangerous?: boolean;
  /** Whether it is about a step in the history, which must not change until it is answered. */
  isAboutHistory?: boolean;
};

/**
 * An alert or a confirmation: the focus stays inside, Escape and Back mean no, and the focus returns to where
 * it was. Its text is its accessible name, so that it is read out when it opens.
 */
export function QuestionDialog({
  question: { text, action, cancel = 'Cancel', details = [], isDangerous = false, isAboutHistory = false },
  onAnswer,
}: {
  question: Question;
  onAnswer(isYes: boolean): void;
}) {
  const [isOpen, setOpen] = useState(true);
  const isYes = useRef(false);
  // The promise resolves once the dialog is closed and the focus is back, so that the caller may move the
  // focus.
  const close = (answer: boolean) => {
    isYes.current = answer;
    setOpen(false);
  };
  useBackCloses(isOpen && !isAboutHistory, () => close(false));
  const isConfirm = action !== undefined;
  return (
    <AlertDialog.Root
      open={isOpen}
      onOpenChange={open => open || close(false)}
      onOpenChangeComplete={open => open || onAnswer(isYes.current)}
    >
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="overlay" />
        <AlertDialog.Popup className="dialog question">
          <AlertDialog.Title render={<p />}>{text}</AlertDialog.Title>
          {details.length > 0 && (
            <AlertDialog.Description render={<ul className="details" />}>
              {details.map(line => (
                <li key={line}>{line}</li>
              ))}
            </AlertDialog.Description>
          )}
          <div className="acts">
            {isConfirm && (
              <button type="button" className="button" onClick={() => close(false)}>
                {cancel}
              </button>
            )}
            <button
              type="button"
              className={isDangerous ? 'button danger' : 'button primary'}
              onClick={() => close(true)}
            >
              {action ?? 'OK'}
            </button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
