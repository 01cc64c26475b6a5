const store = 'copies';
let opened: Promise<IDBDatabase> | undefined;

/**
 * A database for text that survives a killed browser: `localStorage` is written to the disk seconds later, a
 * transaction here immediately. (A store of idb-keyval requests neither strict durability nor the commit.)
 * Each function rejects if the browser stores nothing, as in some private windows.
 */
function database(): Promise<IDBDatabase> {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open('coterie-drafts', 1);
    request.onupgradeneeded = () => request.result.createObjectStore(store);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
    request.onblocked = () => reject(new Error('The database is in use by an older page.'));
  });
  return opened;
}

/** Resolves with what `act` has returned, once all its requests are done and stored. */
async function inStore<T>(mode: IDBTransactionMode, act: (texts: IDBObjectStore) => T): Promise<T> {
  const transaction = (await database()).transaction(store, mode, { durability: 'strict' });
  return await new Promise((resolve, reject) => {
    const requests = act(transaction.objectStore(store));
    transaction.oncomplete = () => resolve(requests);
    transaction.onabort = () => reject(transaction.error);
    // Without waiting for this page, which may be closing.
    transaction.commit();
  });
}

export async function putText(key: string, text: string): Promise<void> {
  await inStore('readwrite', texts => texts.put(text, key));
}

export async function removeText(key: string): Promise<void> {
  await inStore('readwrite', texts => texts.delete(key));
}

/** All texts whose keys have this prefix, with their keys. */
export async function textsWith(prefix: string): Promise<[key: string, text: string][]> {
  const range = IDBKeyRange.bound(prefix, `${prefix}\uffff`);
  // In one transaction: if another tab deleted a text between the two, they would not belong together.
  const [keys, texts] = await inStore('readonly', all => [all.getAllKeys(range), all.getAll(range)] as const);
  return keys.result.map((key, index) => [String(key), String(texts.result[index])]);
}
