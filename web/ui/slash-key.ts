import { readStorage, writeStorage } from './browser-storage.ts';

const key = 'slash-key';

/**
 * Whether the key `/` opens the search in this browser. A key alone can be turned off, because programs for
 * dictation and trembling hands press keys that nobody meant (WCAG 2.1.4).
 */
export function isSlashKeyOn(): boolean {
  return readStorage('localStorage', key) === null;
}

export function turnSlashKey(isOn: boolean): void {
  writeStorage('localStorage', key, isOn ? null : 'off');
}
