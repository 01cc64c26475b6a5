import { readStorage, writeStorage } from './browser-storage.ts';

const key = 'welcome';

/** Makes the timeline welcome an account that has just joined, until the reader answers. */
export function welcomeLater(userId: string): void {
  writeStorage('localStorage', key, userId);
}

export function isWelcomed(userId: string | undefined): boolean {
  return userId !== undefined && readStorage('localStorage', key) === userId;
}

export function endWelcome(): void {
  writeStorage('localStorage', key, null);
}
