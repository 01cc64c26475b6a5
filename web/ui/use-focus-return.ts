import { type RefObject, useEffect, useRef } from 'react';

/**
 * Restores the focus to an element when its replacement (`isAway`) is unmounted while it has the focus. The
 * browser then focuses the body, so a reader who has moved on stays there. In an effect: only then is the
 * element in the document.
 */
export function useFocusReturn(target: RefObject<HTMLElement | null>, isAway: boolean): void {
  const wasAway = useRef(isAway);
  useEffect(() => {
    if (wasAway.current && !isAway && document.activeElement === document.body) target.current?.focus();
    wasAway.current = isAway;
  }, [target, isAway]);
}
