import { useLayoutEffect, useRef } from 'react';
import { entryIndex, guardLeaving } from '../../app/navigation.ts';

/**
 * Asks before the author leaves unsaved text behind:
 *
 * - a reload, a closed tab or another site: the browser asks, in its own words (`beforeunload`);
 * - a link or button within the site: the app asks before it goes there;
 * - back and forward within the site: no browser lets a page stop them reliably, so the step is taken back, the author is
 *   asked, and the step is taken again after a yes.
 *
 * Returns the function to call before leaving on purpose.
 */
export function useLeaveGuard(isDirty: boolean, ask: () => Promise<boolean>): () => void {
  const latest = useRef({ isDirty, ask });
  const isAllowed = useRef(false);
  useLayoutEffect(() => {
    latest.current = { isDirty, ask };
  });
  // A layout effect, because it must end before a guard of the page that comes next leads elsewhere.
  useLayoutEffect(() => {
    const isFree = () => isAllowed.current || !latest.current.isDirty;
    const here = { index: entryIndex(), pathname: window.location.pathname };
    let isAsking = false;
    let isReturning = false;
    const askAndGo = async (steps: number) => {
      if (isAsking) return;
      isAsking = true;
      const isLeaving = await latest.current.ask();
      isAsking = false;
      if (!isLeaving) return;
      isAllowed.current = true;
      window.history.go(steps);
    };
    const stopGuarding = guardLeaving({
      mayLeave: async () => isFree() || (await latest.current.ask()),
      takesBack: () => {
        if (isReturning) {
          isReturning = false;
          return true;
        }
        const steps = entryIndex() - here.index;
        if (isFree() || steps === 0 || window.location.pathname === here.pathname) return false;
        isReturning = true;
        window.history.go(-steps);
        void askAndGo(steps);
        return true;
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
    isAllowed.current = true;
  };
}
