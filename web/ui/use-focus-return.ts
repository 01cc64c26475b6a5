import { type RefObject, useEffect, useRef } from 'react';

/**
 * Focuses an element once it stands there again: what took its place (`isAway`) has gone. An effect, because only then
 * the element is sure to be in the document.
 */
export function useFocusReturn(target: RefObject<HTMLElement | null>, isAway: boolean): void {
  const wasAway = useRef(isAway);
  useEffect(() => {
    if (wasAway.current && !isAway) target.current?.focus();
    wasAway.current = isAway;
  }, [target, isAway]);
}
