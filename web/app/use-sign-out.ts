import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useDialogs } from '../ui/dialogs.tsx';
import { hydrated } from './hydrated.tsx';
import { stopGuarding, useNavigate } from './navigation.ts';
import { useOperations } from './queries.tsx';
import { routes } from './routes.ts';
import { useSetViewer } from './site.tsx';
import { deleteUnsavedTexts, hasUnsavedTexts, storeOpenTexts } from './unsaved-texts.ts';
import { knownViewer, sessionMutationKey } from './viewer.ts';

/**
 * Ends the session of this browser, or all sessions of the account. If the browser has unsaved text, the
 * reader is asked first whether to keep it: on a shared device, others could read it.
 */
export function useSignOut(operation: 'signOut' | 'signOutEverywhere') {
  const { call, client } = useOperations();
  const navigate = useNavigate();
  const setViewer = useSetViewer();
  const ask = useUnsavedTextsQuestion();
  const [isAsking, setAsking] = useState(false);
  const { mutate, isPending, error } = useMutation({
    mutationKey: sessionMutationKey,
    mutationFn: async (userToForget: string | undefined) => {
      const viewer = await call(operation, {});
      if (userToForget !== undefined) await deleteUnsavedTexts(userToForget);
      return viewer;
    },
    onSuccess: viewer => {
      stopGuarding();
      // Before the viewer changes, so that no guard of the screen redirects elsewhere.
      navigate(routes.timeline.href());
      setViewer(viewer, operation);
    },
  });
  const isBusy = isAsking || isPending;
  const signOut = async () => {
    if (isBusy) return;
    setAsking(true);
    await hydrated;
    const asked = knownViewer(client)?.user?.id;
    const answer = await ask(asked);
    setAsking(false);
    // Somebody else who has signed in meanwhile in another tab must not be signed out.
    if (answer === 'stay' || knownViewer(client)?.user?.id !== asked) return;
    mutate(answer === 'delete' ? asked : undefined);
  };
  return { signOut, isBusy, error };
}

/** Asks what to do with an account's unsaved text, if there is any; Escape keeps it. */
function useUnsavedTextsQuestion(): (userId: string | undefined) => Promise<'stay' | 'keep' | 'delete'> {
  const dialogs = useDialogs();
  return async userId => {
    if (userId === undefined) return 'keep';
    if (!(await storeOpenTexts())) {
      const isLeaving = await dialogs.confirm(
        'You are logging out, and something that you have written is not saved on the site. This browser has no room to keep it: it will be lost.',
        { action: 'Log out', cancel: 'Stay', isDangerous: true },
      );
      if (!isLeaving) return 'stay';
    }
    if (!(await hasUnsavedTexts(userId))) return 'keep';
    const isDeleted = await dialogs.confirm(
      'You are logging out, and something that you have written is not saved on the site. This browser keeps it until you come back. If others use this device, delete it.',
      { action: 'Delete it', cancel: 'Keep it', isDangerous: true },
    );
    return isDeleted ? 'delete' : 'keep';
  };
}
