import { createContext, type ReactNode, use, useCallback, useEffect, useMemo, useState } from 'react';
import { layersSettled } from './back-closes.ts';
import type { Question, QuestionDialog } from './dialog-question.tsx';

type Dialogs = {
  /** Shows a text that must be seen. Resolves when it has been dismissed. */
  alert(text: string): Promise<void>;
  /** Asks for confirmation. Resolves with true for yes; Escape means no. */
  confirm(text: string, options?: Omit<Question, 'text'>): Promise<boolean>;
};

const DialogsContext = createContext<Dialogs | null>(null);

/** The product's own alert and confirm (decisions.md 19), shown one at a time in order. */
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
  const [asked, setAsked] = useState<readonly Asked[]>([]);
  const [View, setView] = useState<typeof QuestionDialog>();

  // biome-ignore lint/correctness/useExhaustiveDependencies: another person is what withdraws them
  useEffect(() => {
    return () =>
      setAsked(before => {
        for (const { question, answer } of before) if (question.action !== undefined) answer(false);
        return before.filter(({ question }) => question.action === undefined);
      });
  }, [askedFor]);

  const ask = useCallback(async (question: Question): Promise<boolean> => {
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
      setAsked(before => [...before, { id: (before.at(-1)?.id ?? 0) + 1, question, answer }]);
    });
    // The caller may go somewhere else now.
    await layersSettled();
    return isYes;
  }, []);

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
            setAsked(before => before.filter(other => other !== current));
            current.answer(isYes);
          }}
        />
      )}
    </DialogsContext>
  );
}
