import { useEffect, useRef, useState } from 'react';
import { copiesOf, type StoredCopy } from './browser-copy.ts';
import { type Draft, isSameDraft, type Post } from './draft.ts';

/** What earlier editors of a post left unsaved in this browser, and differs from what this one starts with. */
export function useLeftCopies(userId: string, post: Post | null, draft: Draft, saveKey: string) {
  const [copies, setCopies] = useState<StoredCopy[]>([]);
  const start = useRef({ draft, saveKey });
  const postId = post?.id ?? null;
  useEffect(() => {
    let isWanted = true;
    copiesOf(userId, postId, Date.now()).then(found => {
      const isOther = (copy: StoredCopy) =>
        copy.saveKey !== start.current.saveKey &&
        (!isSameDraft(copy.draft, start.current.draft) || (copy.uploads ?? []).length > 0);
      if (isWanted) setCopies(found.filter(isOther));
    });
    return () => {
      isWanted = false;
    };
  }, [userId, postId]);
  return [copies, setCopies] as const;
}
