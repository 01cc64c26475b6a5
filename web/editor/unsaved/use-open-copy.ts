import { useEffect } from 'react';
import { closeCopy, openCopy } from './open-copies.ts';

/** Has the copy of an editor open as long as the editor is there. */
export function useOpenCopy(key: string): void {
  useEffect(() => {
    void openCopy(key);
    return () => closeCopy(key);
  }, [key]);
}
