import { removeText, textsWith } from '../ui/kept-texts.ts';
import { openTexts } from '../ui/open-texts.ts';
import { unsavedKey, unsavedKinds } from '../ui/unsaved-key.ts';

/** Whether this browser keeps text that an account has not saved. */
export async function hasUnsavedTexts(userId: string): Promise<boolean> {
  for (const text of openTexts) await text.keep();
  return storedKeys(userId).length > 0 || (await databaseKeys(userId)).length > 0;
}

/** Deletes what this browser keeps of an account's unsaved text; that of others stays. */
export async function deleteUnsavedTexts(userId: string): Promise<void> {
  for (const text of openTexts) text.stopKeeping();
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
    // Site data is blocked: there is none.
    return [];
  }
}

/** Of posts alone: their texts are long, and have to outlive a browser that crashes. */
async function databaseKeys(userId: string): Promise<string[]> {
  const texts = await textsWith(unsavedKey('coterie-draft', userId, '')).catch(() => []);
  return texts.map(([key]) => key);
}
