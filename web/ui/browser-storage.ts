export type Place = 'sessionStorage' | 'localStorage';

/** Texts that the browser cannot store: they last as long as the page. */
const unkept = new Map<string, string>();

/**
 * The text under a key in the session of the tab or in the browser; null if there is none or it cannot be
 * read.
 */
export function readStorage(place: Place, key: string): string | null {
  try {
    return unkept.get(key) ?? window[place].getItem(key);
  } catch {
    // Site data is blocked, or this runs on the server, which has no storage.
    return null;
  }
}

/** The keys of all texts in a place; none if site data is blocked. */
export function storedKeys(place: Place): string[] {
  try {
    return Object.keys(window[place]);
  } catch {
    return [];
  }
}

/** The value that is stored as JSON under a key; null if there is none, or another text. */
export function readStoredJson(place: Place, key: string): unknown {
  try {
    return JSON.parse(readStorage(place, key) ?? 'null');
  } catch {
    return null;
  }
}

/** Stores a text under a key; null deletes it. */
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
