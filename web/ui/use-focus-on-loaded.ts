import { useEffect, useRef } from 'react';

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
    // A button that is still there has the focus, unless the reader has moved on. The focus of one that was
    // removed goes to the page's body.
    const focused = button?.isConnected ? button : document.body;
    if (document.activeElement === focused) found.focus({ preventScroll: true });
  });
  return async (button, load, find) => {
    wanted.current = { button, find };
    const { isError } = await load();
    if (isError) wanted.current = undefined;
  };
}
