import { useEffect } from 'react';

/** Anything lower than this is a toolbar of the browser, not a keyboard, in pixels. */
const lowestKeyboard = 120;

/**
 * While a phone shows its keyboard over the page, sets its height as `--keyboard`, and `data-keyboard` on the
 * root (web/styles/editor-text.css).
 */
export function useKeyboard(): void {
  useEffect(() => {
    const viewport = window.visualViewport;
    const root = document.documentElement;
    if (viewport === null) return undefined;
    const tell = () => {
      // A zoomed page shows less of itself, too.
      const covered = viewport.scale > 1.01 ? 0 : window.innerHeight - viewport.height - viewport.offsetTop;
      root.toggleAttribute('data-keyboard', covered >= lowestKeyboard);
      root.style.setProperty('--keyboard', `${Math.round(covered)}px`);
    };
    const listening = new AbortController();
    viewport.addEventListener('resize', tell, { signal: listening.signal });
    viewport.addEventListener('scroll', tell, { signal: listening.signal });
    return () => {
      listening.abort();
      root.removeAttribute('data-keyboard');
      root.style.removeProperty('--keyboard');
    };
  }, []);
}
