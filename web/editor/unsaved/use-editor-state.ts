import { useEffect, useReducer } from 'react';
import { createKey } from '../key.ts';
import { copiesOf, copyKey, dropCopy, keepCopy, type StoredCopy } from './browser-copy.ts';
import { type Base, type DeskEvent, deskAfter, openDesk } from './desk.ts';
import { type CopyStore, restoreCopy, takeTheirs } from './desk-moves.ts';
import type { Draft, Post } from './draft.ts';

/**
 * The state of an editor. `restore` and `takeTheirs` resolve with false if this browser has no room for a copy of the
 * current text.
 */
export function useEditorState(userId: string, post: Post | null) {
  const [desk, dispatch] = useReducer(deskAfter, post, opened => openDesk(opened, createKey()));
  const postId = post?.id ?? null;
  useEffect(() => {
    let isWanted = true;
    copiesOf(userId, postId, Date.now()).then(copies => {
      if (isWanted) dispatch({ type: 'copies found', copies });
    });
    return () => {
      isWanted = false;
    };
  }, [userId, postId]);

  const store: CopyStore = {
    keyOf: saveKey => copyKey(userId, postId, saveKey),
    keep: keepCopy,
    drop: dropCopy,
    now: Date.now,
  };
  const move = async (moving: Promise<DeskEvent | undefined>): Promise<boolean> => {
    const event = await moving;
    if (event !== undefined) dispatch(event);
    return event !== undefined;
  };
  return {
    ...desk,
    edit: (change: (draft: Draft) => Draft) => dispatch({ type: 'edited', change }),
    goOver: (base: Base) => dispatch({ type: 'goes over', base }),
    forgetLost: () => dispatch({ type: 'lost dismissed' }),
    restore: (copy: StoredCopy) => move(restoreCopy(desk, copy, store)),
    discard: (copy: StoredCopy) => {
      void dropCopy(copy.key);
      dispatch({ type: 'discarded', copy });
    },
    takeTheirs: (theirs: Post, uploads: string[]) =>
      move(takeTheirs(desk, theirs, { uploads, saveKey: createKey() }, store)),
  };
}
