import type { KeyboardEvent } from 'react';

/**
 * Whether a key is for an input method, as for Japanese: Enter and Escape end a word there. Safari ends the
 * composition before it reports the key, with the key code 229.
 */
export function isComposing({ nativeEvent }: KeyboardEvent): boolean {
  return nativeEvent.isComposing || nativeEvent.keyCode === 229;
}
