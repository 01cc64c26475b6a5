import { useEffect } from 'react';

const { promise, resolve } = Promise.withResolvers<void>();

/**
 * Resolves once React has taken over the whole page that the server rendered. It does so in parts, the screen after its
 * frame: a change that reaches a part before that (another reader, another address) meets text that was rendered for what
 * was before, and React throws the part away with an error (#418).
 */
export const hydrated: Promise<void> = promise;

export function isHydrated(): boolean {
  return document.documentElement.hasAttribute('data-hydrated');
}

/**
 * Stands beside the screen, in the part that is taken over last. From then on all buttons of the page act: start-script.ts
 * waits for it, and whoever drives the page, a test for one, can.
 */
export function HydrationMark(): null {
  useEffect(() => {
    document.documentElement.setAttribute('data-hydrated', '');
    resolve();
  }, []);
  return null;
}
