import { afterEach, expect, it, vi } from 'vitest';
import { BrowserDatabase } from './browser-database.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

type Opening = Pick<IDBOpenDBRequest, 'onsuccess' | 'onerror'> & { result: unknown; error: Error | null };

/** A browser's databases: `opened` holds the requests to open one, which wait for an answer. */
function browser() {
  const opened: Opening[] = [];
  vi.stubGlobal('indexedDB', {
    open: () => {
      const request: Opening = { onsuccess: null, onerror: null, result: undefined, error: null };
      opened.push(request);
      return request;
    },
  });
  return opened;
}

/** A connection whose transactions are stored at once. */
const connection = () => ({
  onclose: () => {},
  transaction: () => {
    const transaction = {
      oncomplete: () => {},
      objectStore: () => ({ put: () => {} }),
      commit: () => queueMicrotask(() => transaction.oncomplete()),
    };
    return transaction;
  },
});

const event = new Event('answer');
/** The request is its own receiver in a browser; the class uses its variable. */
const answer = (request: Opening | undefined, how: 'onsuccess' | 'onerror') =>
  request?.[how]?.call(request as unknown as IDBOpenDBRequest, event);

it('a database that could not be opened is opened again', async () => {
  const opened = browser();
  const database = new BrowserDatabase<string>('texts', 'texts');
  const refused = database.put('a', 'text');
  Object.assign(opened[0] ?? {}, { error: new Error('No room.') });
  answer(opened[0], 'onerror');
  await expect(refused).rejects.toThrow('No room.');
  const stored = database.put('a', 'text');
  Object.assign(opened[1] ?? {}, { result: connection() });
  answer(opened[1], 'onsuccess');
  await stored;
  expect(opened).toHaveLength(2);
});

it('a database that the browser has closed is opened again', async () => {
  const opened = browser();
  const database = new BrowserDatabase<string>('texts', 'texts');
  const first = connection();
  for (const [index, result] of [first, connection()].entries()) {
    const stored = database.put('a', 'text');
    Object.assign(opened[index] ?? {}, { result });
    answer(opened[index], 'onsuccess');
    await stored;
    await database.put('b', 'text');
    expect(opened).toHaveLength(index + 1);
    first.onclose();
  }
});
