import type { StoredCopy } from './browser-copy.ts';
import { type Draft, draftOf, emptyDraft, isSameDraft, type Post } from './draft.ts';

/** What a save goes over: nothing yet, or a version of a post. `publishedOn` is the date that readers see, empty for a draft. */
export type Base = { postId: string; version: number; publishedOn: string } | null;

/** What lies before an author: the text, what it goes over, and the texts that earlier editors left unsaved. */
export type Desk = {
  draft: Draft;
  /** As it was opened, or as somebody else has saved it. */
  saved: Draft;
  base: Base;
  /** What keeps a repeated save from making a second post, and names the copy of the draft in this browser. */
  saveKey: string;
  /** Rises when another text takes the place of the one that CodeMirror holds. */
  revision: number;
  copies: readonly StoredCopy[];
  /** Files that were on their way when the text was left. */
  lost: readonly string[];
};

export type DeskEvent =
  | { type: 'edited'; change(draft: Draft): Draft }
  | { type: 'copies found'; copies: readonly StoredCopy[] }
  | { type: 'restored'; copy: StoredCopy }
  | { type: 'discarded'; copy: StoredCopy }
  /** `mine` is the copy under which the browser keeps what lay here; undefined when nothing of it was unsaved. */
  | { type: 'theirs taken'; theirs: Post; mine: StoredCopy | undefined; saveKey: string }
  | { type: 'goes over'; base: Base }
  | { type: 'lost dismissed' };

export function baseOf(post: Post | null): Base {
  return post && { postId: post.id, version: post.version, publishedOn: post.publishedOn };
}

export function openDesk(post: Post | null, saveKey: string): Desk {
  const draft = post === null ? emptyDraft : draftOf(post);
  return { draft, saved: draft, base: baseOf(post), saveKey, revision: 0, copies: [], lost: [] };
}

export function isUnsaved({ draft, saved }: Pick<Desk, 'draft' | 'saved'>): boolean {
  return !isSameDraft(draft, saved);
}

/**
 * The desk after an event. One text takes the place of another, and none is lost by it, because `desk-moves.ts` has had the
 * browser keep the one that goes.
 */
export function deskAfter(desk: Desk, event: DeskEvent): Desk {
  switch (event.type) {
    case 'edited':
      return { ...desk, draft: event.change(desk.draft) };
    case 'copies found':
      return { ...desk, copies: event.copies.filter(copy => tellsMore(copy, desk)) };
    case 'restored':
      return {
        ...desk,
        draft: event.copy.draft,
        saveKey: event.copy.saveKey,
        // Written over an older version: saving then asks, with both texts.
        base: desk.base && { ...desk.base, version: event.copy.version ?? desk.base.version },
        revision: desk.revision + 1,
        copies: [],
        lost: event.copy.uploads ?? [],
      };
    case 'discarded':
      return { ...desk, copies: desk.copies.filter(({ key }) => key !== event.copy.key) };
    case 'theirs taken': {
      const { theirs, mine, saveKey } = event;
      const draft = draftOf(theirs);
      const copies = mine === undefined ? desk.copies : [mine];
      return {
        ...desk,
        draft,
        saved: draft,
        base: baseOf(theirs),
        saveKey,
        revision: desk.revision + 1,
        copies,
      };
    }
    case 'goes over':
      return { ...desk, base: event.base };
    case 'lost dismissed':
      return { ...desk, lost: [] };
  }
}

/** Whether the copy of another editor holds what the post as it was opened does not. */
function tellsMore(copy: StoredCopy, { saved, saveKey }: Desk): boolean {
  return copy.saveKey !== saveKey && (!isSameDraft(copy.draft, saved) || (copy.uploads ?? []).length > 0);
}
