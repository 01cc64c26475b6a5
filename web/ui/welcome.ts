import { readStorage, writeStorage } from './browser-storage.ts';

const key = 'welcome';

/** Lets the timeline welcome somebody who has just joined: once, in this tab. */
export function welcomeLater(): void {
  writeStorage('sessionStorage', key, 'yes');
}

export function isWelcomed(): boolean {
  return readStorage('sessionStorage', key) === 'yes';
}

export function endWelcome(): void {
  writeStorage('sessionStorage', key, null);
}
