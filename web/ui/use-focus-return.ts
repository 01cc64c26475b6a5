import { type RefObject, useEffect, useRef } from 'react';

/**
 * Focuses an element once it is shown again, when what replaced it (`isAway`) is removed and had the focus,
 * which the browser then gives to the body: a reader who has gone elsewhere meanwhile stays there. In an
 * effect, because only then the element is certainly in the document.
 */
export function useFocusReturn(target: RefObject<HTMLElement | null>, isAway: boolean): void {
  const wasAway = useRef(isAway);
  useEffect(() => {
    if (wasAway.current && !isAway && document.activeElement === document.body) target.current?.focus();
    wasAway.current = isAway;
  }, [target, isAway]);
}
