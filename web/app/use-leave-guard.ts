import { useLayoutEffect, useRef } from 'react';
import { afterAnswer, afterStep, watchful } from './leave-guard.ts';
import { entryIndex, guardLeaving } from './navigation.ts';

/**
 * Asks before somebody leaves a page with unsaved text:
 *
 * - a reload, a closed tab or another site: the browser asks, in its own words (`beforeunload`);
 * - a link or button within the site: the app asks before it goes there;
 * - back and forward within the site: no browser lets a page stop them reliably, so the step is undone, they
 *   are asked, and the step is repeated after a yes.
 *
 * Returns the function to call before leaving on purpose.
 */
export function useLeaveGuard(
  isDirty: () => boolean,
  ask: (isAboutHistory: boolean) => Promise<boolean>,
): () => void {
  const latest = useRef({ isDirty, ask });
  const guard = useRef(watchful);
  useLayoutEffect(() => {
    latest.current = { isDirty, ask };
  });
  // A layout effect, because it must end before the next page redirects.
  useLayoutEffect(() => {
    const isFree = () => guard.current.isAllowed || !latest.current.isDirty();
    const here = { index: entryIndex(), pathname: window.location.pathname };
    const askAndGo = async (steps: number) => {
      const isLeaving = await latest.current.ask(true);
      guard.current = afterAnswer(guard.current, isLeaving);
      if (isLeaving) window.history.go(steps);
    };
    const stopGuarding = guardLeaving({
      mayLeave: async () => isFree() || (await latest.current.ask(false)),
      takesBack: () => {
        const steps = entryIndex() - here.index;
        const isSamePath = window.location.pathname === here.pathname;
        const [next, answer] = afterStep(guard.current, {
          steps,
          isSamePath,
          isDirty: latest.current.isDirty(),
        });
        guard.current = next;
        if (answer === 'take back' || answer === 'take back and ask') window.history.go(-steps);
        if (answer === 'take back and ask') void askAndGo(steps);
        return answer !== 'let go';
      },
    });
    const beforeUnload = (event: BeforeUnloadEvent) => {
      if (!isFree()) event.preventDefault();
    };
    window.addEventListener('beforeunload', beforeUnload);
    return () => {
      stopGuarding();
      window.removeEventListener('beforeunload', beforeUnload);
    };
  }, []);
  return () => {
    guard.current = { ...guard.current, isAllowed: true };
  };
}
