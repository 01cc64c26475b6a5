import type { KeyboardEvent } from 'react';

/**
 * Whether a key belongs to an input method, as for Japanese, where Enter and Escape end a word. Safari ends
 * the composition before it reports the key, with the key code 229.
 */
export function isComposing({ nativeEvent }: KeyboardEvent): boolean {
  return nativeEvent.isComposing || nativeEvent.keyCode === 229;
}
