import { useEffect } from 'react';
import { useIsInBrowser } from '../ui/use-is-in-browser.ts';

const { promise, resolve } = Promise.withResolvers<void>();
// Outside a browser there is nothing to hydrate.
if (typeof document === 'undefined') resolve();

/**
 * Resolves once React has hydrated the whole page. It hydrates in parts, the screen after its frame. If
 * something changes (the reader, the address) before a part is hydrated, the text that the server rendered
 * does not match, and React discards the part with an error (#418).
 */
export const hydrated: Promise<void> = promise;

export function isHydrated(): boolean {
  return document.documentElement.hasAttribute('data-hydrated');
}

/**
 * Rendered next to the screen, in the part that is hydrated last, and again with what only scripts show. From
 * then on all buttons of the page work: start-script.ts waits for it, and tests do.
 */
export function HydrationMark(): null {
  const isInBrowser = useIsInBrowser();
  useEffect(() => {
    if (!isInBrowser) return;
    document.documentElement.setAttribute('data-hydrated', '');
    resolve();
  }, [isInBrowser]);
  return null;
}
