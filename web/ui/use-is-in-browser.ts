import { useSyncExternalStore } from 'react';

const never = () => () => {};

/** Whether scripts run: false on the server and during hydration. */
export function useIsInBrowser(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
}
