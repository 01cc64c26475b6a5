import { forgetFiles } from '../storage/file-database.ts';
import { type Place, storedKeys, writeStorage } from '../ui/browser-storage.ts';
import { openTexts } from '../ui/open-texts.ts';
import { removeText, textsWith } from '../ui/text-database.ts';
import { unsavedKey, unsavedKinds } from '../ui/unsaved-key.ts';

/** Stores the open texts of this page. Resolves with false if the browser has no room for one of them. */
export async function storeOpenTexts(): Promise<boolean> {
  const stored = await Promise.all([...openTexts].map(text => text.store()));
  return !stored.includes(false);
}

/** Whether this browser has unsaved text of an account. */
export async function hasUnsavedTexts(userId: string): Promise<boolean> {
  return keysOf(userId).length > 0 || (await databaseKeys(userId)).length > 0;
}

/** Whether localStorage has a new post of an account; a killed browser may have it only in its database. */
export function hasTextOfPost(userId: string): boolean {
  const start = unsavedKey('coterie-draft', userId, '');
  return storedKeys('localStorage').some(key => key.startsWith(start));
}

/** Deletes an account's unsaved text from this browser; that of other accounts stays. */
export async function deleteUnsavedTexts(userId: string): Promise<void> {
  for (const text of openTexts) text.stopStoring();
  for (const [place, key] of keysOf(userId)) writeStorage(place, key, null);
  for (const key of await databaseKeys(userId)) await removeText(key).catch(() => {});
  await forgetFiles(unsavedKey('coterie-draft', userId, ''));
}

function keysOf(userId: string): [Place, string][] {
  return (['localStorage', 'sessionStorage'] as const).flatMap(place =>
    storedKeys(place)
      .filter(key => unsavedKinds.some(kind => `${key}:`.startsWith(unsavedKey(kind, userId, ''))))
      .map((key): [Place, string] => [place, key]),
  );
}

/**
 * The keys in the database. Only texts of posts are stored there: they are long, and must survive a crash of
 * the browser.
 */
async function databaseKeys(userId: string): Promise<string[]> {
  const texts = await textsWith(unsavedKey('coterie-draft', userId, '')).catch(() => []);
  return texts.map(([key]) => key);
}
