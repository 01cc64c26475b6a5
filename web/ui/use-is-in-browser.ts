import { useDeferredValue } from 'react';

/**
 * Whether scripts run: false on the server and during hydration. It becomes true in a render that yields to
 * presses, where a store would render the whole page at once.
 */
export function useIsInBrowser(): boolean {
  return useDeferredValue(true, isHydrated());
}

/** Whether React has hydrated the page; see HydrationMark. */
export function isHydrated(): boolean {
  return typeof document !== 'undefined' && document.documentElement.hasAttribute('data-hydrated');
}
