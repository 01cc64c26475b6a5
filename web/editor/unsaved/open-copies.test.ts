import { afterEach, expect, it, vi } from 'vitest';
import { createKey } from '../../ui/key.ts';
import { closeCopy, openCopy, untilClosed, whileOpen } from './open-copies.ts';

afterEach(() => vi.unstubAllGlobals());

/** A copy that another tab has open until `close` is called. */
async function openElsewhere(key: string, mode: LockMode = 'exclusive'): Promise<() => void> {
  const opened = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  void navigator.locks.request(key, { mode }, async () => {
    opened.resolve();
    await closed.promise;
  });
  await opened.promise;
  return closed.resolve;
}

it('a copy is open in one tab at a time, and in another one once it is closed', async () => {
  const key = createKey();
  const close = await openElsewhere(key);
  // Pressed twice.
  expect(await Promise.all([openCopy(key), openCopy(key)])).toEqual([false, false]);
  const waiting = untilClosed(key, new AbortController().signal);
  close();
  await waiting;
  expect(await openCopy(key)).toBe(true);
  // The same tab may ask again.
  expect(await openCopy(key)).toBe(true);
  const next = openElsewhere(key);
  closeCopy(key);
  (await next)();
});

it('a copy that other tabs have waited for is opened after them, and not if one of them is suspended', async () => {
  const key = createKey();
  const close = await openElsewhere(key, 'shared');
  const asked = vi.spyOn(AbortSignal, 'timeout');
  const opening = openCopy(key);
  await expect.poll(() => asked.mock.calls.length).toBe(1);
  close();
  expect(await opening).toBe(true);
  closeCopy(key);

  const end = await openElsewhere(key, 'shared');
  asked.mockReturnValue(AbortSignal.abort());
  expect(await openCopy(key)).toBe(false);
  end();
  asked.mockRestore();
});

it('a copy is sent while no editor has it open, in this tab or another, and none opens it meanwhile', async () => {
  const key = createKey();
  const sent: string[] = [];
  const send = (by: string) => whileOpen(key, async () => void sent.push(by));
  expect(await openCopy(key)).toBe(true);
  expect(await send('beside an editor')).toBe(false);
  closeCopy(key);
  const close = await openElsewhere(key);
  expect(await send('beside another tab')).toBe(false);
  close();
  await untilClosed(key);
  const first = whileOpen(key, async () => {
    expect(await openCopy(key)).toBe(false);
    expect(await send('at the same time')).toBe(false);
    sent.push('alone');
  });
  expect(await first).toBe(true);
  expect(sent).toEqual(['alone']);
  expect(await openCopy(key)).toBe(true);
  closeCopy(key);
});

it('a copy that is closed before it was open is closed', async () => {
  const key = createKey();
  const opening = openCopy(key);
  closeCopy(key);
  expect(await opening).toBe(true);
  (await openElsewhere(key))();
});

it('a wait for a copy ends with its page', async () => {
  const key = createKey();
  const close = await openElsewhere(key);
  const page = new AbortController();
  const waiting = untilClosed(key, page.signal);
  page.abort(new Error('The page is gone.'));
  await expect(waiting).rejects.toThrow('The page is gone.');
  close();
});

it('in a browser without locks every copy can be opened', async () => {
  vi.stubGlobal('navigator', {});
  await untilClosed('key', new AbortController().signal);
  expect(await openCopy('key')).toBe(true);
  closeCopy('key');
});
