import { useSyncExternalStore } from 'react';

const never = () => () => {};

/** Whether scripts run here: false on the server, and while the browser takes over what the server rendered. */
export function useIsInBrowser(): boolean {
  return useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
}
