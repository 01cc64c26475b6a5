type Place = 'sessionStorage' | 'localStorage';

/** What the browser does not keep: it lasts as long as the page. */
const unkept = new Map<string, string>();

/** What stands under a key in the tab's session or in the browser; null where nothing does, or nothing may be read. */
export function readStorage(place: Place, key: string): string | null {
  try {
    return unkept.get(key) ?? window[place].getItem(key);
  } catch {
    // Site data is blocked; or this is the server, which keeps nothing.
    return null;
  }
}

/** Keeps a text under a key; null forgets what stands there. */
export function writeStorage(place: Place, key: string, text: string | null): void {
  unkept.delete(key);
  try {
    if (text === null) window[place].removeItem(key);
    else window[place].setItem(key, text);
  } catch {
    // Site data is blocked, or there is no room.
    if (text !== null) unkept.set(key, text);
  }
}
