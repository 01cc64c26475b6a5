import type { KeptFile } from '../../storage/kept-files.ts';
import type { StoredCopy } from './browser-copy.ts';
import type { Draft, KnownTag, Post } from './draft.ts';
import { withListedTags } from './draft-tags.ts';
import { draftOf, isSameDraft } from './post-fields.ts';

/**
 * What a save replaces: a version of a post, or null for a new one. `publishedOn` is the date that readers
 * see, empty for a draft.
 */
export type Base = { postId: string; version: number; publishedOn: string } | null;

/** What a save says of its post, or the loaded post: the next save replaces this version. */
export type SavedPost = Pick<Post, 'id' | 'version' | 'publishedOn'>;

/** The state of an editor: the text, what it replaces, and the copies that earlier editors left unsaved. */
export type EditorState = {
  draft: Draft;
  /** The date chosen for the publication, empty for none: a draft on the server has none. */
  date: string;
  /** Whether nobody is told of the publication. */
  isQuiet: boolean;
  /** The saved post, as it was opened or as somebody else has saved it. */
  saved: Draft;
  base: Base;
  /**
   * The key that keeps a repeated save from making a second post, and names the copy of the draft in this
   * browser.
   */
  saveKey: string;
  /** Rises when another text replaces the one in CodeMirror. */
  revision: number;
  /** Newest first. */
  copies: readonly StoredCopy[];
  /** Names of files whose upload had not finished when the editor was left, and that this browser lacks. */
  lost: readonly string[];
  /** The files of a restored text whose uploads go on. */
  revived: readonly KeptFile[];
};

export type EditorEvent =
  | { type: 'edited'; change(draft: Draft): Draft }
  | { type: 'dated'; date: string; isQuiet: boolean }
  /** The tags of the site, which may have other names by now. */
  | { type: 'tags loaded'; tags: readonly KnownTag[] }
  /** An earlier editor has left a copy, and no tab has it open. */
  | { type: 'copy found'; copy: StoredCopy }
  | { type: 'restored'; copy: StoredCopy; files?: readonly KeptFile[] }
  /** The copy is discarded, or another tab has it. */
  | { type: 'offer ended'; key: string }
  /** `mine` is the copy of the replaced text; undefined if none of it was unsaved. */
  | { type: 'theirs taken'; theirs: Post; mine: StoredCopy | undefined; saveKey: string }
  /** The draft as it was sent is the post's text now; the author may have written on meanwhile. */
  | { type: 'saved'; draft: Draft; post: SavedPost }
  /** The author keeps the text, and has seen what it replaces. */
  | { type: 'theirs seen'; theirs: Post }
  | { type: 'lost dismissed' };

export function baseOf(post: SavedPost | null): Base {
  return post && { postId: post.id, version: post.version, publishedOn: post.publishedOn };
}

export function initialState(post: Post | null, saveKey: string, begun: Partial<Post> = {}): EditorState {
  const draft = draftOf(post ?? begun);
  const nothing = { date: '', isQuiet: false, revision: 0, copies: [], lost: [], revived: [] };
  return { draft, saved: draft, base: baseOf(post), saveKey, ...nothing };
}

export function isUnsaved({ draft, saved }: Pick<EditorState, 'draft' | 'saved'>): boolean {
  return !isSameDraft(draft, saved);
}

/**
 * The state after an event. No text is lost when another replaces it, because `replace-text.ts` has stored a
 * copy of it before.
 */
export function editorReducer(state: EditorState, event: EditorEvent): EditorState {
  switch (event.type) {
    case 'edited':
      return { ...state, draft: event.change(state.draft) };
    case 'dated':
      return { ...state, date: event.date, isQuiet: event.isQuiet };
    case 'tags loaded': {
      const draft = withListedTags(state.draft, event.tags);
      const saved = withListedTags(state.saved, event.tags);
      return draft === state.draft && saved === state.saved ? state : { ...state, draft, saved };
    }
    case 'copy found': {
      const { copy } = event;
      if (!hasMore(copy, state)) return state;
      const copies = [...state.copies.filter(({ key }) => key !== copy.key), copy];
      return { ...state, copies: copies.sort((a, b) => b.savedAt - a.savedAt) };
    }
    case 'restored':
      return {
        ...state,
        draft: event.copy.draft,
        date: event.copy.date ?? '',
        isQuiet: event.copy.isQuiet ?? false,
        saveKey: event.copy.saveKey,
        // Based on an older version, so that saving shows both texts and asks.
        base: state.base && { ...state.base, version: event.copy.version ?? state.base.version },
        revision: state.revision + 1,
        copies: state.copies.filter(({ key, waits }) => key !== event.copy.key && waits !== undefined),
        lost: event.copy.uploads ?? [],
        revived: event.files ?? [],
      };
    case 'offer ended':
      return { ...state, copies: state.copies.filter(({ key }) => key !== event.key) };
    case 'theirs taken': {
      const { theirs, mine, saveKey } = event;
      const draft = draftOf(theirs);
      const copies = mine === undefined ? state.copies : [mine];
      return {
        ...state,
        draft,
        saved: draft,
        base: baseOf(theirs),
        saveKey,
        revision: state.revision + 1,
        copies,
      };
    }
    case 'saved': {
      const base = baseOf(event.post);
      // The next save replaces this post: another text restored here would overwrite it.
      const copies = state.base?.postId === base?.postId ? state.copies : [];
      return { ...state, saved: event.draft, base, copies };
    }
    case 'theirs seen':
      return { ...state, saved: draftOf(event.theirs), base: baseOf(event.theirs) };
    case 'lost dismissed':
      return { ...state, lost: [] };
  }
}

/** How many files had not arrived when a copy was left. */
export const leftFiles = ({ uploads = [], files = [] }: StoredCopy) => uploads.length + files.length;

/** Whether the copy of another editor contains something that the opened post does not. */
function hasMore(copy: StoredCopy, { saved, saveKey }: EditorState): boolean {
  return copy.saveKey !== saveKey && (!isSameDraft(copy.draft, saved) || leftFiles(copy) > 0);
}
