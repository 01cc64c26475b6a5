import { afterEach, describe, expect, it, vi } from 'vitest';
import { keepDraft, newKey, readDraft } from '../comments/draft.ts';
import {
  noteArrival,
  noteLeaving,
  rememberedStay,
  rememberPage,
  rememberSelection,
} from '../timeline/memory.ts';
import { keep, kept } from './kept.ts';

/** A storage with room for so many characters. */
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

/** What Chromium does where site data is blocked: already the property throws. */
const blocked = {
  get sessionStorage(): Storage {
    throw new DOMException('Access is denied for this document.', 'SecurityError');
  },
  get localStorage(): Storage {
    throw new DOMException('Access is denied for this document.', 'SecurityError');
  },
};

afterEach(() => vi.unstubAllGlobals());

describe('what a browser keeps', () => {
  it('is found again, and forgotten', () => {
    vi.stubGlobal('window', { localStorage: storage(100), sessionStorage: storage(100) });
    keep('localStorage', 'one', 'text');
    expect(kept('localStorage', 'one')).toBe('text');
    expect(kept('sessionStorage', 'one')).toBeNull();
    keep('localStorage', 'one', null);
    expect(kept('localStorage', 'one')).toBeNull();
  });

  it('lasts as long as the page where there is no room, and is never an older text', () => {
    vi.stubGlobal('window', { localStorage: storage(5) });
    keep('localStorage', 'two', 'short');
    keep('localStorage', 'two', 'longer');
    expect(kept('localStorage', 'two')).toBe('longer');
    keep('localStorage', 'two', 'again');
    expect(kept('localStorage', 'two')).toBe('again');
    keep('localStorage', 'two', null);
    expect(kept('localStorage', 'two')).toBeNull();
  });

  it('is the timeline’s place, also where site data is blocked', () => {
    vi.stubGlobal('window', blocked);
    noteArrival('lucy');
    expect(rememberedStay('lucy')).toBeNull();
    rememberPage(3);
    rememberSelection(['rivers']);
    noteLeaving('lucy');
    expect(rememberedStay('mina')).toBeNull();
    expect(rememberedStay('lucy')).toEqual({ pages: 3, scroll: 0, selection: ['rivers'] });
    noteArrival('mina');
    noteLeaving('mina');
    expect(rememberedStay('mina')).toEqual({ pages: 1, scroll: 0, selection: [] });
    noteArrival('mina');
  });

  it('is nothing on the server', () => {
    expect(rememberedStay('visitor')).toBeNull();
  });

  it('is each account’s own, of what was begun under a post', () => {
    vi.stubGlobal('window', { localStorage: storage(1_000) });
    const draft = { text: 'Dear all', key: newKey(), isSent: true };
    keepDraft('lucy', 'post', draft);
    expect(readDraft('mina', 'post')).toMatchObject({ text: '', isSent: false });
    expect(readDraft('lucy', 'other')).toMatchObject({ text: '' });
    expect(readDraft('lucy', 'post')).toEqual(draft);
    keepDraft('lucy', 'post', { ...draft, text: '' });
    expect(readDraft('lucy', 'post')).toMatchObject({ text: '' });
  });
});
