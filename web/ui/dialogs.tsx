import { createContext, type ReactNode, use, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { layersSettled } from './back-closes.ts';
import type { Question, QuestionDialog } from './dialog-question.tsx';

type Dialogs = {
  /** Shows a text that must be seen. Resolves when it has been dismissed. */
  alert(text: string): Promise<void>;
  /** Asks for confirmation. Resolves with true for yes; Escape means no. */
  confirm(text: string, options?: Omit<Question, 'text'>): Promise<boolean>;
};

const DialogsContext = createContext<Dialogs | null>(null);

/** The product's own alert and confirm (decision 19), shown one at a time in order. */
export function useDialogs(): Dialogs {
  const dialogs = use(DialogsContext);
  if (dialogs === null) throw new Error('The app must be rendered inside a DialogsProvider.');
  return dialogs;
}

type Asked = { id: number; question: Question; answer(isYes: boolean): void };

type DialogsProviderProps = {
  /** A key of the reader: when it changes, open questions are withdrawn, as if answered with no. */
  askedFor: number;
  children: ReactNode;
};

/** Provides the dialogs. The dialog itself is a separate script, loaded with the first question. */
export function DialogsProvider({ askedFor, children }: DialogsProviderProps) {
  /** The open questions, and the same as they are shown. */
  const open = useRef<readonly Asked[]>([]);
  const [asked, setAsked] = useState<readonly Asked[]>([]);
  const show = useCallback((questions: readonly Asked[]) => {
    open.current = questions;
    setAsked(questions);
  }, []);
  const [View, setView] = useState<typeof QuestionDialog>();

  // biome-ignore lint/correctness/useExhaustiveDependencies: another person is what withdraws them
  useEffect(() => {
    return () => {
      const withdrawn = open.current.filter(({ question }) => question.action !== undefined);
      show(open.current.filter(({ question }) => question.action === undefined));
      for (const { answer } of withdrawn) answer(false);
    };
  }, [askedFor]);

  const ask = useCallback(
    async (question: Question): Promise<boolean> => {
      try {
        const { QuestionDialog } = await import('./dialog-question.tsx');
        setView(() => QuestionDialog);
      } catch {
        // If its script cannot be loaded, as with a lost connection, the browser's own dialog is better than
        // none.
        if (question.action !== undefined)
          return window.confirm([question.text, ...(question.details ?? [])].join('\n'));
        window.alert(question.text);
        return true;
      }
      const isYes = await new Promise<boolean>(answer => {
        show([...open.current, { id: (open.current.at(-1)?.id ?? 0) + 1, question, answer }]);
      });
      // The caller may go somewhere else now.
      await layersSettled();
      return isYes;
    },
    [show],
  );

  const dialogs = useMemo<Dialogs>(
    () => ({
      alert: async text => {
        await ask({ text });
      },
      confirm: (text, { action = 'OK', ...options } = {}) => ask({ text, action, ...options }),
    }),
    [ask],
  );
  const [current] = asked;
  return (
    <DialogsContext value={dialogs}>
      {children}
      {View !== undefined && current !== undefined && (
        <View
          key={current.id}
          question={current.question}
          onAnswer={isYes => {
            show(open.current.filter(other => other !== current));
            current.answer(isYes);
          }}
        />
      )}
    </DialogsContext>
  );
}
