import { useReducer } from 'react';
import { createKey } from '../../ui/key.ts';
import { copyKey, dropCopy, storeCopy } from './browser-copy.ts';
import type { Draft, KnownTag, Post } from './draft.ts';
import { editorReducer, initialState, type SavedPost } from './editor-state.ts';
import { type CopyStore, takeTheirs } from './replace-text.ts';
import { useOfferedCopies } from './use-offered-copies.ts';

/**
 * The state of an editor. `takeTheirs` resolves with false if this browser has no room for a copy of the
 * current text.
 */
export function useEditorState(userId: string, post: Post | null, begun?: Partial<Post>) {
  const [state, dispatch] = useReducer(editorReducer, post, opened =>
    initialState(opened, createKey(), begun),
  );
  // A new post has an id once it is saved in place.
  const postId = state.base?.postId ?? null;
  const store: CopyStore = {
    keyOf: saveKey => copyKey(userId, postId, saveKey),
    put: storeCopy,
    drop: dropCopy,
    now: Date.now,
  };
  const offers = useOfferedCopies(userId, postId, state, dispatch, store);
  return {
    ...state,
    ...offers,
    copyKey: store.keyOf(state.saveKey),
    edit: (change: (draft: Draft) => Draft) => dispatch({ type: 'edited', change }),
    setDate: (date: string, isQuiet = state.isQuiet) => dispatch({ type: 'dated', date, isQuiet }),
    renameTags: (tags: readonly KnownTag[]) => dispatch({ type: 'tags loaded', tags }),
    savedAs: (sent: Draft, saved: SavedPost) => dispatch({ type: 'saved', draft: sent, post: saved }),
    keepMine: (theirs: Post) => dispatch({ type: 'theirs seen', theirs }),
    forgetLost: () => dispatch({ type: 'lost dismissed' }),
    takeTheirs: async (theirs: Post, uploads: string[]): Promise<boolean> => {
      const event = await takeTheirs(state, theirs, { uploads, saveKey: createKey() }, store);
      if (event !== undefined) dispatch(event);
      return event !== undefined;
    },
  };
}
