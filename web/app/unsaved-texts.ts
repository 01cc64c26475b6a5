import { openTexts } from '../ui/open-texts.ts';
import { removeText, textsWith } from '../ui/text-database.ts';
import { unsavedKey, unsavedKinds } from '../ui/unsaved-key.ts';

/** Stores the open texts of this page. Resolves with false if the browser has no room for one of them. */
export async function storeOpenTexts(): Promise<boolean> {
  const stored = await Promise.all([...openTexts].map(text => text.store()));
  return !stored.includes(false);
}

/** Whether this browser holds text that an account has not saved. */
export async function hasUnsavedTexts(userId: string): Promise<boolean> {
  return storedKeys(userId).length > 0 || (await databaseKeys(userId)).length > 0;
}

/** Deletes an account's unsaved text from this browser; that of other accounts stays. */
export async function deleteUnsavedTexts(userId: string): Promise<void> {
  for (const text of openTexts) text.stopStoring();
  for (const [place, key] of storedKeys(userId)) place.removeItem(key);
  for (const key of await databaseKeys(userId)) await removeText(key).catch(() => {});
}

function storedKeys(userId: string): [Storage, string][] {
  try {
    return [localStorage, sessionStorage].flatMap(place =>
      Object.keys(place)
        .filter(key => unsavedKinds.some(kind => `${key}:`.startsWith(unsavedKey(kind, userId, ''))))
        .map((key): [Storage, string] => [place, key]),
    );
  } catch {
    // Site data is blocked, so there is no text.
    return [];
  }
}

/**
 * The keys in the database. Only texts of posts are stored there: they are long, and must survive a crash of the
 * browser.
 */
async function databaseKeys(userId: string): Promise<string[]> {
  const texts = await textsWith(unsavedKey('coterie-draft', userId, '')).catch(() => []);
  return texts.map(([key]) => key);
}
