import { type ReactNode, useCallback, useState } from 'react';
import { AppError } from '../../contract/errors.ts';
import type { Call } from '../../contract/operations.ts';
import { CallContext, useCall } from './queries.tsx';
import type { SignInAgainDialog } from './sign-in-again-dialog.tsx';

/**
 * Within it, a call for which the server requires a recent sign-in opens a dialog to confirm the reader's
 * identity, and is then repeated: the caller waits, and loses nothing. If the reader does not confirm, the
 * call fails with `cancelled`.
 */
export function SignInAgain({ children }: { children: ReactNode }) {
  const call = useCall();
  const [asked, setAsked] = useState<readonly ((isConfirmed: boolean) => void)[]>([]);
  const [View, setView] = useState<typeof SignInAgainDialog>();

  const ask = useCallback(async () => {
    try {
      const { SignInAgainDialog } = await import('./sign-in-again-dialog.tsx');
      setView(() => SignInAgainDialog);
    } catch {
      // Most often the page is older than an update of the site. The browser's own message only has an
      // address.
      throw new AppError(
        'unavailable',
        'This page could not ask you to confirm that it is you. Please reload it and try again.',
      );
    }
    return await new Promise<boolean>(answer => setAsked(before => [...before, answer]));
  }, []);
  const askingCall = useCallback<Call>(
    async (name, input) => {
      try {
        return await call(name, input);
      } catch (error) {
        if (!(error instanceof AppError) || error.details?.asks !== 'recent-sign-in') throw error;
        if (await ask()) return await call(name, input);
        throw new AppError('cancelled', 'You have not confirmed that it is you, so nothing has changed.');
      }
    },
    [call, ask],
  );
  const answerAll = (isConfirmed: boolean) => {
    setAsked([]);
    for (const answer of asked) answer(isConfirmed);
  };
  return (
    <CallContext value={askingCall}>
      {children}
      {View !== undefined && asked.length > 0 && <View call={call} onAnswer={answerAll} />}
    </CallContext>
  );
}
