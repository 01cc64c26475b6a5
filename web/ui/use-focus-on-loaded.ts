import { useEffect, useRef } from 'react';

type Find = () => Element | null | undefined;

/**
 * Lets a reader with a keyboard continue with what a button loads. Returns a function that calls `load`, and
 * moves the focus from this button, or from what has it in its place, to what `find` finds as soon as that is
 * in the document. The focus stays where it is if the reader has gone elsewhere meanwhile, or if nothing was
 * loaded. Use it in a component that stays when the button goes.
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

/**
 * A button that is still there has the focus, unless the reader has moved on. When one is removed, its focus
 * goes to the page's body, which counts as still being there.
 */
function hasMovedOn(button: Element | null): boolean {
  return document.activeElement !== (button?.isConnected ? button : document.body);
}
