import { useEffect, useEffectEvent } from 'react';
import { closeCopy, openCopy } from './open-copies.ts';

/**
 * Has the copy of an editor open, but not while its page waits to be shown again by the browser's back
 * button: another tab may open the text then. If one still has it when the page is shown, the page is loaded
 * again, after `allowLeaving`.
 */
export function useOpenCopy(key: string, allowLeaving: () => void): void {
  const openAgain = useEffectEvent(async (event: PageTransitionEvent) => {
    if (!event.persisted || (await openCopy(key))) return;
    allowLeaving();
    window.location.reload();
  });
  useEffect(() => {
    void openCopy(key);
    const close = () => closeCopy(key);
    const show = (event: PageTransitionEvent) => void openAgain(event);
    window.addEventListener('pagehide', close);
    window.addEventListener('pageshow', show);
    return () => {
      close();
      window.removeEventListener('pagehide', close);
      window.removeEventListener('pageshow', show);
    };
  }, [key]);
}
