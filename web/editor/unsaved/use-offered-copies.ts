import { useEffect, useEffectEvent, useLayoutEffect, useRef } from 'react';
import { useCall } from '../../app/queries.tsx';
import { forgetFiles } from '../../storage/file-database.ts';
import { type KeptFile, keptFiles, textsWithFiles } from '../../storage/kept-files.ts';
import { unsavedKey } from '../../ui/unsaved-key.ts';
import { copyAt, type StoredCopy } from './browser-copy.ts';
import type { EditorEvent, EditorState } from './editor-state.ts';
import { offeredCopies } from './offered-copies.ts';
import { closeCopy, openCopy, untilClosed, whileOpen } from './open-copies.ts';
import { type CopyStore, restoreCopy } from './replace-text.ts';

/** What became of an offered copy: it was restored or discarded, or why not. */
export type CopyOutcome = 'done' | 'no room' | 'open elsewhere' | 'gone';

/** Finds the copies that other editors have left, and restores or discards them. */
export function useOfferedCopies(
  userId: string,
  postId: string | null,
  state: EditorState,
  dispatch: (event: EditorEvent) => void,
  store: CopyStore,
) {
  const offerAgain = useCopiesLeft(userId, postId, copy => dispatch({ type: 'copy found', copy }));
  useSentCopies(state, copy => {
    dispatch({ type: 'offer ended', key: copy.key });
    // One that was refused is offered again, with the reason.
    offerAgain(copy);
  });
  const latest = useRef(state);
  useLayoutEffect(() => {
    latest.current = state;
  });

  /** Opens a copy, and reads it again: another tab may have written to it since it was offered. */
  const take = async (offered: StoredCopy): Promise<StoredCopy | 'open elsewhere' | 'gone'> => {
    const { key } = offered;
    if (!(await openCopy(key))) {
      dispatch({ type: 'offer ended', key });
      offerAgain(offered);
      return 'open elsewhere';
    }
    const stored = await copyAt(key);
    if (stored !== undefined) return { ...offered, ...stored };
    closeCopy(key);
    dispatch({ type: 'offer ended', key });
    return 'gone';
  };
  return {
    restore: async (offered: StoredCopy): Promise<CopyOutcome> => {
      const copy = await take(offered);
      if (typeof copy === 'string') return copy;
      // The text of now: the author may have typed since the press.
      const [files, found] = await filesOf(copy);
      const event = await restoreCopy(latest.current, found, store);
      if (event !== undefined) dispatch({ ...event, files });
      // It stays open if it is the copy of this editor from now on.
      if (event?.copy.key !== copy.key) closeCopy(copy.key);
      return event === undefined ? 'no room' : 'done';
    },
    discard: async (offered: StoredCopy): Promise<CopyOutcome> => {
      const copy = await take(offered);
      if (typeof copy === 'string') return copy;
      await store.drop(copy.key);
      closeCopy(copy.key);
      dispatch({ type: 'offer ended', key: copy.key });
      return 'done';
    },
  };
}

/** The files of a copy that this browser has, and the copy with the names of those that it has not. */
async function filesOf(copy: StoredCopy): Promise<[KeptFile[], StoredCopy]> {
  const { files = [], uploads = [] } = copy;
  const kept = new Map((await keptFiles(copy.key)).map(file => [file.id, file]));
  const missing = files.filter(({ id }) => !kept.has(id)).map(({ name }) => name);
  const found = files.filter(({ id }) => kept.has(id));
  return [
    found.flatMap(({ id }) => kept.get(id) ?? []),
    { ...copy, uploads: [...uploads, ...missing], files: found },
  ];
}

/** Calls `onSent` with an offered copy that has waited for a connection, once it was sent by any tab. */
function useSentCopies({ copies }: EditorState, onSent: (copy: StoredCopy) => void): void {
  const tell = useEffectEvent((changed: string | null) => {
    const copy = copies.find(({ key, waits }) => key === changed && waits !== undefined);
    if (copy !== undefined) onSent(copy);
  });
  useEffect(() => {
    const listening = new AbortController();
    window.addEventListener('storage', ({ key }) => tell(key), { signal: listening.signal });
    return () => listening.abort();
  }, []);
}

/**
 * Calls `onFound` with each copy once no tab has it open: a tab that was just closed may have it open a
 * moment longer. Returns the function that does the same with a copy that another tab has opened since.
 */
function useCopiesLeft(
  userId: string,
  postId: string | null,
  onFound: (copy: StoredCopy) => void,
): (copy: StoredCopy) => void {
  const call = useCall();
  const tell = useEffectEvent(onFound);
  const offerLater = useRef((_: StoredCopy) => {});
  useEffect(() => {
    const closed = new AbortController();
    const offer = async (copy: StoredCopy) => {
      // Rejects at the end of this editor, and in a browser that refuses locks, where no tab has one.
      await untilClosed(copy.key, closed.signal).catch(() => {});
      const stored = await copyAt(copy.key);
      if (stored !== undefined && !closed.signal.aborted) tell({ ...copy, ...stored });
    };
    offerLater.current = copy => void offer(copy);
    void forgetLeftFiles(userId);
    void offeredCopies(call, userId, postId).then(copies => {
      for (const copy of copies) void offer(copy);
    });
    return () => closed.abort();
  }, [call, userId, postId]);
  return copy => offerLater.current(copy);
}

/**
 * Deletes the files of an account whose text is gone: a browser may have been killed before it was stored.
 */
async function forgetLeftFiles(userId: string): Promise<void> {
  const isGone = async (key: string) => (await copyAt(key)) === undefined;
  for (const key of await textsWithFiles(unsavedKey('coterie-draft', userId, ''))) {
    if (!(await isGone(key))) continue;
    await whileOpen(key, async () => {
      if (await isGone(key)) await forgetFiles(`${key}:`);
    });
  }
}
