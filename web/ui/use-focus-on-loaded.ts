import { useEffect, useRef } from 'react';
import { hasMovedOn } from './has-moved-on.ts';

type Find = () => Element | null | undefined;

/**
 * Moves the focus from the button to the first loaded item. Returns a function that calls `load`, and focuses
 * what `find` finds as soon as it is in the document. The focus stays if the reader has moved it meanwhile,
 * or if nothing was loaded. Use it in a component that outlives the button.
 */
export function useFocusOnLoaded(): (
  button: Element | null,
  load: () => Promise<{ isError: boolean }>,
  find: Find,
) => Promise<void> {
  const wanted = useRef<{ button: Element | null; find: Find }>(undefined);
  useEffect(() => {
    const found = wanted.current?.find();
    if (wanted.current === undefined || !(found instanceof HTMLElement)) return;
    const { button } = wanted.current;
    wanted.current = undefined;
    if (!hasMovedOn(button)) found.focus({ preventScroll: true });
  });
  return async (button, load, find) => {
    wanted.current = { button, find };
    const { isError } = await load();
    if (isError) wanted.current = undefined;
  };
}
