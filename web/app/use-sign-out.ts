import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useDialogs } from '../ui/dialogs.tsx';
import { hydrated } from './hydrated.tsx';
import { stopGuarding, useNavigate } from './navigation.ts';
import { useCall } from './queries.tsx';
import { routes } from './routes.ts';
import { useSetViewer, useViewer } from './site.tsx';
import { deleteUnsavedTexts, hasUnsavedTexts, storeOpenTexts } from './unsaved-texts.ts';
import { knownViewer, sessionMutationKey } from './viewer.ts';

/**
 * Ends the session of this browser, or all sessions of the account. If the browser has unsaved text, the
 * reader is asked first whether to keep it: on a shared device, others could read it.
 */
export function useSignOut(operation: 'signOut' | 'signOutEverywhere') {
  const call = useCall();
  const client = useQueryClient();
  const navigate = useNavigate();
  const setViewer = useSetViewer();
  const ask = useUnsavedTextsQuestion();
  const [isAsking, setAsking] = useState(false);
  const { mutate, isPending, error } = useMutation({
    mutationKey: sessionMutationKey,
    mutationFn: async (deleteTexts: () => Promise<void>) => {
      const viewer = await call(operation, {});
      await deleteTexts();
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
    const deleteTexts = await ask();
    setAsking(false);
    // Somebody else who has signed in meanwhile in another tab must not be signed out.
    if (deleteTexts !== 'stay' && knownViewer(client)?.user?.id === asked) mutate(deleteTexts);
  };
  return { signOut, isBusy, error };
}

const nothing = async () => {};

/**
 * Asks what to do with unsaved text, if there is any. Resolves with the function that does it, or with
 * ‘stay’; Escape keeps the text.
 */
function useUnsavedTextsQuestion(): () => Promise<(() => Promise<void>) | 'stay'> {
  const dialogs = useDialogs();
  const { user } = useViewer();
  return async () => {
    if (user === null) return nothing;
    if (!(await storeOpenTexts())) {
      const isLeaving = await dialogs.confirm(
        'You are logging out, and something that you have written is not saved on the site. This browser has no room to keep it: it will be lost.',
        { action: 'Log out', cancel: 'Stay', isDangerous: true },
      );
      if (!isLeaving) return 'stay';
    }
    if (!(await hasUnsavedTexts(user.id))) return nothing;
    const isDeleted = await dialogs.confirm(
      'You are logging out, and something that you have written is not saved on the site. This browser keeps it until you come back. If others use this device, delete it.',
      { action: 'Delete it', cancel: 'Keep it', isDangerous: true },
    );
    return isDeleted ? () => deleteUnsavedTexts(user.id) : nothing;
  };
}
