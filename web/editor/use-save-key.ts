import { useEffect, useEffectEvent } from 'react';
import { isSaveKey } from './text/formats.ts';

/** Calls `save` for Ctrl+S or Cmd+S anywhere on the page, in place of the browser's own dialog. */
export function useSaveKey(save: () => void): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (!isSaveKey(event)) return;
    event.preventDefault();
    // A key held down repeats.
    if (!event.repeat) save();
  });
  useEffect(() => {
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}
