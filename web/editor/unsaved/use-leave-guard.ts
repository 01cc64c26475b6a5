import { useEffect, useRef } from 'react';
import { useNavigate } from 'react-router';

/** What this needs of the Navigation API, which TypeScript does not know everywhere yet. */
type NavigateEvent = Event & {
  navigationType: 'push' | 'replace' | 'reload' | 'traverse';
  hashChange: boolean;
  destination: { url: string; key: string; sameDocument: boolean };
};
type Navigation = EventTarget & { traverseTo(key: string): { finished: Promise<unknown> } };

/**
 * Asks before the author leaves unsaved text behind. The router's declarative mode has nothing for this, so:
 *
 * - a reload, a closed tab or another site: the browser asks, in its own words (`beforeunload`);
 * - a link, a button, back and forward within the site: the Navigation API's `navigate` event is stopped, the author is
 *   asked in our words, and the same navigation is done again after a yes. Browsers let a page stop "back" only after it
 *   has been used, and old ones have no such event: there the text is offered again from this browser's copy.
 *
 * Returns the function to call before leaving on purpose.
 */
export function useLeaveGuard(isDirty: boolean, ask: () => Promise<boolean>): () => void {
  const navigate = useNavigate();
  const latest = useRef({ isDirty, ask, navigate });
  const isAllowed = useRef(false);
  useEffect(() => {
    latest.current = { isDirty, ask, navigate };
  });
  useEffect(() => {
    const mayLeave = () => isAllowed.current || !latest.current.isDirty;
    const beforeUnload = (event: BeforeUnloadEvent) => {
      if (!mayLeave()) event.preventDefault();
    };
    const navigation = (window as { navigation?: Navigation }).navigation;
    let isAsking = false;
    const onNavigate = async (event: Event) => {
      const { navigationType, hashChange, destination, cancelable } = event as NavigateEvent;
      if (mayLeave() || !cancelable || hashChange || !destination.sameDocument) return;
      event.preventDefault();
      if (isAsking) return;
      isAsking = true;
      const isLeaving = await latest.current.ask();
      isAsking = false;
      if (!isLeaving) return;
      isAllowed.current = true;
      if (navigationType === 'traverse') await navigation?.traverseTo(destination.key).finished;
      else {
        const { pathname, search, hash } = new URL(destination.url);
        latest.current.navigate(pathname + search + hash, { replace: navigationType === 'replace' });
      }
    };
    window.addEventListener('beforeunload', beforeUnload);
    navigation?.addEventListener('navigate', onNavigate);
    return () => {
      window.removeEventListener('beforeunload', beforeUnload);
      navigation?.removeEventListener('navigate', onNavigate);
    };
  }, []);
  return () => {
    isAllowed.current = true;
  };
}
