import { afterEach, expect, it, vi } from 'vitest';
import { readDraft, writeDraft } from '../comments/draft.ts';
import {
  noteArrival,
  noteLeaving,
  rememberedPosition,
  rememberPage,
  rememberSelection,
} from '../timeline/memory.ts';
import { readStorage, writeStorage } from './browser-storage.ts';
import { createKey } from './key.ts';

/** A storage with room for a number of characters. */
function storage(room: number): Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> {
  const texts = new Map<string, string>();
  return {
    getItem: key => texts.get(key) ?? null,
    setItem: (key, text) => {
      if (text.length > room) throw new DOMException('No room.', 'QuotaExceededError');
      texts.set(key, text);
    },
    removeItem: key => texts.delete(key),
  };
}

/** As in Chromium with blocked site data: reading the property throws. */
const blocked = {
  get sessionStorage(): Storage {
    throw new DOMException('Access is denied for this document.', 'SecurityError');
  },
  get localStorage(): Storage {
    throw new DOMException('Access is denied for this document.', 'SecurityError');
  },
};

afterEach(() => vi.unstubAllGlobals());

it('what a browser keeps is read again, and can be deleted', () => {
  vi.stubGlobal('window', { localStorage: storage(100), sessionStorage: storage(100) });
  writeStorage('localStorage', 'one', 'text');
  expect(readStorage('localStorage', 'one')).toBe('text');
  expect(readStorage('sessionStorage', 'one')).toBeNull();
  writeStorage('localStorage', 'one', null);
  expect(readStorage('localStorage', 'one')).toBeNull();
});

it('what a browser keeps lasts as long as the page if there is no room, and is never an older text', () => {
  vi.stubGlobal('window', { localStorage: storage(5) });
  writeStorage('localStorage', 'two', 'short');
  writeStorage('localStorage', 'two', 'longer');
  expect(readStorage('localStorage', 'two')).toBe('longer');
  writeStorage('localStorage', 'two', 'again');
  expect(readStorage('localStorage', 'two')).toBe('again');
  writeStorage('localStorage', 'two', null);
  expect(readStorage('localStorage', 'two')).toBeNull();
});

it('what a browser keeps includes the position on the timeline, also if site data is blocked', () => {
  vi.stubGlobal('window', blocked);
  noteArrival('lucy');
  expect(rememberedPosition('lucy')).toBeNull();
  rememberPage(3);
  rememberSelection(['rivers']);
  noteLeaving('lucy', 'post1');
  expect(rememberedPosition('mina')).toBeNull();
  expect(rememberedPosition('lucy')).toEqual({
    pages: 3,
    scroll: 0,
    selection: ['rivers'],
    post: 'post1',
  });
  noteArrival('mina');
  noteLeaving('mina', null);
  expect(rememberedPosition('mina')).toEqual({ pages: 1, scroll: 0, selection: [], post: null });
  noteArrival('mina');
});

it('no position is remembered while the server renders', () => {
  expect(rememberedPosition('visitor')).toBeNull();
});

it('what a browser keeps is separate for each account, for unfinished comments', () => {
  vi.stubGlobal('window', { localStorage: storage(1_000) });
  const draft = { text: 'Dear all', key: createKey(), isSent: true };
  writeDraft('lucy', 'post', draft);
  expect(readDraft('mina', 'post')).toMatchObject({ text: '', isSent: false });
  expect(readDraft('lucy', 'other')).toMatchObject({ text: '' });
  expect(readDraft('lucy', 'post')).toEqual(draft);
  writeDraft('lucy', 'post', { ...draft, text: '' });
  expect(readDraft('lucy', 'post')).toMatchObject({ text: '' });
});
