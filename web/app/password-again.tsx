import { type ReactNode, useCallback, useState } from 'react';
import { AppError } from '../../contract/errors.ts';
import type { Call } from '../../contract/operations.ts';
import { CallContext, useCall } from './operations.tsx';
import type { PasswordDialog } from './password-dialog.tsx';

/**
 * Within it a call that the server carries out only after a recent sign-in asks for the password in a dialog, and is made
 * once more: whoever calls waits, and loses nothing. Who gives no password is answered `cancelled`.
 */
export function PasswordAgain({ children }: { children: ReactNode }) {
  const call = useCall();
  const [asked, setAsked] = useState<readonly ((isGiven: boolean) => void)[]>([]);
  const [View, setView] = useState<typeof PasswordDialog>();

  const ask = useCallback(async () => {
    const { PasswordDialog } = await import('./password-dialog.tsx');
    setView(() => PasswordDialog);
    return await new Promise<boolean>(answer => setAsked(before => [...before, answer]));
  }, []);
  const askingCall = useCallback<Call>(
    async (name, input) => {
      try {
        return await call(name, input);
      } catch (error) {
        if (!(error instanceof AppError) || error.details?.asks !== 'password') throw error;
        if (await ask()) return await call(name, input);
        throw new AppError('cancelled', 'You have not confirmed that it is you, so nothing has changed.');
      }
    },
    [call, ask],
  );
  const answerAll = (isGiven: boolean) => {
    setAsked([]);
    for (const answer of asked) answer(isGiven);
  };
  return (
    <CallContext value={askingCall}>
      {children}
      {View !== undefined && asked.length > 0 && <View call={call} onAnswer={answerAll} />}
    </CallContext>
  );
}
