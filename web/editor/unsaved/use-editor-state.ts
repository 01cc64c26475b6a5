import { useEffect, useReducer } from 'react';
import { createKey } from '../../ui/key.ts';
import { copiesOf, copyKey, dropCopy, type StoredCopy, storeCopy } from './browser-copy.ts';
import type { Draft, KnownTag, Post } from './draft.ts';
import { type Base, type EditorEvent, editorReducer, initialState } from './editor-state.ts';
import { type CopyStore, restoreCopy, takeTheirs } from './replace-text.ts';

/**
 * The state of an editor. `restore` and `takeTheirs` resolve with false if this browser has no room for a copy of the
 * current text.
 */
export function useEditorState(userId: string, post: Post | null) {
  const [state, dispatch] = useReducer(editorReducer, post, opened => initialState(opened, createKey()));
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
    put: storeCopy,
    drop: dropCopy,
    now: Date.now,
  };
  const move = async (moving: Promise<EditorEvent | undefined>): Promise<boolean> => {
    const event = await moving;
    if (event !== undefined) dispatch(event);
    return event !== undefined;
  };
  return {
    ...state,
    edit: (change: (draft: Draft) => Draft) => dispatch({ type: 'edited', change }),
    renameTags: (tags: readonly KnownTag[]) => dispatch({ type: 'tags loaded', tags }),
    keepMine: (theirs: Post) => dispatch({ type: 'theirs seen', theirs }),
    forgetLost: () => dispatch({ type: 'lost dismissed' }),
    restore: (copy: StoredCopy) => move(restoreCopy(state, copy, store)),
    discard: (copy: StoredCopy) => {
      void dropCopy(copy.key);
      dispatch({ type: 'discarded', copy });
    },
    takeTheirs: (theirs: Post, uploads: string[]) =>
      move(takeTheirs(state, theirs, { uploads, saveKey: createKey() }, store)),
  };
}
