import { useEffect, useRef } from 'react';

type Find = () => HTMLElement | null | undefined;

/**
 * Lets a reader with a keyboard continue with what a button loads. Returns a function that calls `load` for this button, and
 * moves the focus to what `find` finds as soon as that is in the document. The focus stays where it is if the reader has gone
 * elsewhere meanwhile, or if nothing was loaded. Use it in a component that stays when the button goes.
 */
export function useFocusOnLoaded(): (
  button: Element,
  load: () => Promise<{ isError: boolean }>,
  find: Find,
) => Promise<void> {
  const wanted = useRef<{ button: Element; find: Find }>(undefined);
  useEffect(() => {
    const found = wanted.current?.find();
    if (wanted.current === undefined || !found) return;
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

/** When a button is removed, its focus goes to the page's body, which counts as still being there. */
function hasMovedOn(button: Element): boolean {
  const { activeElement } = document;
  return activeElement !== button && activeElement !== document.body;
}
