import { startTransition, useEffect, useState, useSyncExternalStore } from 'react';

const never = () => () => {};
const nothing = () => null;

/**
 * Whether scripts run: false on the server and during hydration. What depends on it is rendered again in
 * slices, so that the browser stays responsive.
 */
export function useIsInBrowser(): boolean {
  let isHydrating = false;
  // React asks for the server's snapshot on the server and during hydration alone.
  useSyncExternalStore(never, nothing, () => {
    isHydrating = true;
    return null;
  });
  const [isInBrowser, setInBrowser] = useState(!isHydrating);
  useEffect(() => startTransition(() => setInBrowser(true)), []);
  return isInBrowser;
}
