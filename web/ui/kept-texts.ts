const store = 'copies';
let opened: Promise<IDBDatabase> | undefined;

/**
 * A place for text that outlives a killed browser: `localStorage` reaches the disk seconds later, a transaction here at
 * once. (A store of idb-keyval asks neither for strict durability nor for the commit.) Each function rejects where a
 * browser keeps nothing, as in some private windows.
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

async function inStore<T>(
  mode: IDBTransactionMode,
  act: (texts: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  const transaction = (await database()).transaction(store, mode, { durability: 'strict' });
  return await new Promise((resolve, reject) => {
    const request = act(transaction.objectStore(store));
    transaction.oncomplete = () => resolve(request.result);
    transaction.onabort = () => reject(transaction.error);
    // Without waiting for this page, which may be going.
    transaction.commit();
  });
}

export async function putText(key: string, text: string): Promise<void> {
  await inStore('readwrite', texts => texts.put(text, key));
}

export async function removeText(key: string): Promise<void> {
  await inStore('readwrite', texts => texts.delete(key));
}

/** The keys and texts whose keys start so. */
export async function textsWith(prefix: string): Promise<[key: string, text: string][]> {
  const range = IDBKeyRange.bound(prefix, `${prefix}\uffff`);
  const keys = await inStore('readonly', texts => texts.getAllKeys(range));
  const texts = await inStore<unknown[]>('readonly', all => all.getAll(range));
  return keys.map((key, index) => [String(key), String(texts[index])]);
}
