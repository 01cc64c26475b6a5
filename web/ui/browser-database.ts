/**
 * A database of this browser with one store of values by their keys. It survives a killed browser:
 * `localStorage` is written to the disk seconds later, a transaction here immediately. (A store of idb-keyval
 * requests neither strict durability nor the commit.) Each function rejects if the browser stores nothing, as
 * in some private windows.
 */
export class BrowserDatabase<Value> {
  readonly #name: string;
  readonly #store: string;
  #opened: Promise<IDBDatabase> | undefined;

  constructor(name: string, store: string) {
    this.#name = name;
    this.#store = store;
  }

  /** Rejects if there is no room. */
  async put(key: string, value: Value): Promise<void> {
    await this.#inStore('readwrite', store => store.put(value, key));
  }

  async remove(key: string): Promise<void> {
    await this.#inStore('readwrite', store => store.delete(key));
  }

  async removeWith(prefix: string): Promise<void> {
    await this.#inStore('readwrite', store => store.delete(keysWith(prefix)));
  }

  async valuesWith(prefix: string): Promise<[key: string, value: Value][]> {
    const range = keysWith(prefix);
    // In one transaction: if another tab deleted a value between the two, they would not belong together.
    const [keys, values] = await this.#inStore(
      'readonly',
      store => [store.getAllKeys(range), store.getAll(range)] as const,
    );
    return keys.result.map((key, index) => [String(key), values.result[index]]);
  }

  #open(): Promise<IDBDatabase> {
    this.#opened ??= new Promise((resolve, reject) => {
      const request = indexedDB.open(this.#name, 1);
      request.onupgradeneeded = () => request.result.createObjectStore(this.#store);
      request.onsuccess = () => {
        // Browsers may close it, such as Safari in the background: the next use opens it again.
        request.result.onclose = () => this.#forget();
        resolve(request.result);
      };
      request.onerror = () => reject(request.error);
      request.onblocked = () => reject(new Error('The database is in use by an older page.'));
    });
    this.#opened.catch(() => this.#forget());
    return this.#opened;
  }

  #forget(): void {
    this.#opened = undefined;
  }

  /** Resolves with the result of `act`, once all its requests are done and stored. */
  async #inStore<T>(mode: IDBTransactionMode, act: (store: IDBObjectStore) => T): Promise<T> {
    const transaction = (await this.#open()).transaction(this.#store, mode, { durability: 'strict' });
    return await new Promise((resolve, reject) => {
      const requests = act(transaction.objectStore(this.#store));
      transaction.oncomplete = () => resolve(requests);
      transaction.onabort = () => reject(transaction.error);
      // Without waiting for this page, which may be closing.
      transaction.commit();
    });
  }
}

const keysWith = (prefix: string) => IDBKeyRange.bound(prefix, `${prefix}\uffff`);
