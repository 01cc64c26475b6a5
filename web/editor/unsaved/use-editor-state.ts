import { useState } from 'react';
import { createKey } from '../key.ts';
import { copyKey, dropCopy, keepCopy, type StoredCopy } from './browser-copy.ts';
import { type Draft, draftOf, emptyDraft, isSameDraft, type Post } from './draft.ts';
import { useLeftCopies } from './use-left-copies.ts';
import type { Base } from './use-save.ts';

export function baseOf(post: Post | null): Base {
  return post && { postId: post.id, version: post.version, publishedOn: post.publishedOn };
}

/**
 * What lies before an author: the text, what it goes over, and the texts that earlier editors left unsaved. One text takes
 * the place of another, and none is lost by it.
 */
export function useEditorState(userId: string, post: Post | null) {
  const [draft, setDraft] = useState(() => (post === null ? emptyDraft : draftOf(post)));
  const [saved, setSaved] = useState(draft);
  const [base, setBase] = useState(() => baseOf(post));
  const [saveKey, setSaveKey] = useState(createKey);
  // Rises when another text takes the place of the one that CodeMirror holds.
  const [revision, setRevision] = useState(0);
  const [copies, setCopies] = useLeftCopies(userId, post, draft, saveKey);
  /** Files that were on their way when the text was left. */
  const [lost, setLost] = useState<readonly string[]>([]);
  const show = (next: Draft) => {
    setDraft(next);
    setRevision(before => before + 1);
  };
  return {
    draft,
    setDraft,
    saved,
    base,
    setBase,
    saveKey,
    revision,
    copies,
    lost,
    forgetLost: () => setLost([]),
    restore: (stored: StoredCopy) => {
      // Nothing but files was missing: there is no text to keep any more.
      if (isSameDraft(stored.draft, saved)) dropCopy(stored.key);
      if (isSameDraft(draft, saved)) dropCopy(copyKey(userId, post?.id ?? null, saveKey));
      show(stored.draft);
      setSaveKey(stored.saveKey);
      // Written over an older version: saving then asks, with both texts.
      setBase(before => before && { ...before, version: stored.version ?? before.version });
      setLost(stored.uploads ?? []);
      setCopies([]);
    },
    discard: (stored: StoredCopy) => {
      dropCopy(stored.key);
      setCopies(before => before.filter(other => other !== stored));
    },
    /**
     * Mine stays where this browser keeps it, as the copy of an editor that is no more, and is offered at once; theirs is
     * kept in another place. `uploads` are my files on their way.
     */
    takeTheirs: async (theirs: Post, uploads: string[]) => {
      const key = copyKey(userId, post?.id ?? null, saveKey);
      const mine = { draft, savedAt: Date.now(), version: theirs.version, saveKey, uploads };
      if (await keepCopy(key, mine)) setCopies([{ ...mine, key }]);
      setSaveKey(createKey());
      setSaved(draftOf(theirs));
      setBase(baseOf(theirs));
      show(draftOf(theirs));
    },
  };
}
