import { useState } from 'react';

/**
 * A component whose script is loaded by a press. It is rendered only once it is loaded: a script that cannot
 * be loaded would replace the whole page by a failure. `load` resolves with whether it is there, and may be
 * called again.
 */
export function useScript<View>(from: () => Promise<{ default: View }>) {
  const [View, setView] = useState<View>();
  const [hasFailed, setFailed] = useState(false);
  const load = async (): Promise<boolean> => {
    try {
      const { default: loaded } = await from();
      setView(() => loaded);
      setFailed(false);
      return true;
    } catch {
      setFailed(true);
      return false;
    }
  };
  return { View, hasFailed, load };
}
