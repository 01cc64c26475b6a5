import { invertedEffects } from '@codemirror/commands';
import { type Extension, StateEffect, Transaction } from '@codemirror/state';
import { EditorView, type ViewUpdate } from '@codemirror/view';

/**
 * A picture of a pasted text: its range, or its place. `waiting`: it has arrived while the text was undone;
 * `removed`: its former paragraph. `offset` is its place from the start of an undone text.
 */
type Picture = { from: number; to: number; offset: number; waiting?: string; removed?: string };
type Paste = { start: number; isThere: boolean; pictures: Picture[] };

/** Part of the history step that pastes a text, and so of its undo and redo. */
const changed = StateEffect.define<{ paste: Paste; isThere: boolean }>();

/**
 * The pictures of pasted texts. They arrive after the text, disappear when it is undone and come back with
 * it: they are not steps of the history, but follow the step that pasted their text.
 */
export class PastedPictures {
  readonly #pastes: Paste[] = [];
  /** The text whose pictures are being delivered. */
  #current: Paste | undefined;
  readonly #insert: (view: EditorView, at: number, paragraph: string) => number;

  /** @param insert Inserts a paragraph, which is no step of the history, and returns its length. */
  constructor(insert: (view: EditorView, at: number, paragraph: string) => number) {
    this.#insert = insert;
  }

  readonly extension: Extension = [
    invertedEffects.of(({ effects }) =>
      effects.flatMap(effect =>
        effect.is(changed) ? changed.of({ ...effect.value, isThere: !effect.value.isThere }) : [],
      ),
    ),
    EditorView.updateListener.of(update => this.#follow(update)),
  ];

  /** The effect of the transaction that pastes a text at `start`. */
  pasted(start: number): StateEffect<unknown> {
    this.#current = { start, isThere: true, pictures: [] };
    return changed.of({ paste: this.#current, isThere: true });
  }

  /** Delivers the pictures; each {@link take} meanwhile is one of them. */
  handOver(act: () => void): void {
    const paste = this.#current;
    act();
    if (paste !== undefined && paste.pictures.length > 0) this.#pastes.push(paste);
    this.#current = undefined;
  }

  /** Reserves a place for a picture of the text being delivered; undefined for other files. */
  take(at: number): ((view: EditorView, paragraph: string) => void) | undefined {
    const paste = this.#current;
    if (paste === undefined) return undefined;
    const picture: Picture = { from: at, to: at, offset: 0 };
    paste.pictures.push(picture);
    return (view, paragraph) => {
      if (!paste.isThere) {
        picture.waiting = paragraph;
        return;
      }
      const { from } = picture;
      const length = this.#insert(view, from, paragraph);
      [picture.from, picture.to] = [from, from + length];
    };
  }

  #follow({ changes, docChanged, transactions, view }: ViewUpdate): void {
    if (!docChanged) return;
    const ended = transactions.flatMap(transaction =>
      transaction.effects.flatMap(effect =>
        effect.is(changed) ? { ...effect.value, start: startOf(transaction) } : [],
      ),
    );
    for (const paste of this.#pastes) {
      const isUndone = ended.some(one => one.paste === paste && !one.isThere);
      for (const picture of paste.pictures) {
        if (isUndone) picture.offset = picture.from - paste.start;
        picture.from = changes.mapPos(picture.from, 1);
        picture.to = Math.max(picture.from, changes.mapPos(picture.to, -1));
      }
      paste.start = changes.mapPos(paste.start, -1);
    }
    for (const { paste, isThere, start } of ended) {
      // The step that pastes it is there before its pictures are.
      if (paste.isThere === isThere) continue;
      paste.isThere = isThere;
      if (!isThere) {
        remove(view, paste);
        continue;
      }
      // Text before it may have been undone, too, and come back in the same place.
      paste.start = start;
      this.#restore(view, paste);
    }
  }

  #restore(view: EditorView, { start, pictures }: Paste): void {
    // The lengths of restored pictures count, those of pictures that arrive only now do not.
    let at = start;
    for (const picture of pictures.toSorted((a, b) => a.offset - b.offset)) {
      const { offset, removed = '', waiting } = picture;
      const from = at + offset;
      if (removed !== '') view.dispatch({ changes: { from, insert: removed }, annotations: notInHistory });
      const arrived = waiting === undefined ? 0 : this.#insert(view, from, waiting);
      at += arrived;
      [picture.from, picture.to] = [from, from + removed.length + arrived];
      delete picture.waiting;
      delete picture.removed;
    }
  }
}

/** The position of a transaction's first change afterwards. */
function startOf({ changes }: Transaction): number {
  let start: number | undefined;
  changes.iterChangedRanges((_fromA, _toA, fromB) => {
    start ??= fromB;
  });
  return start ?? 0;
}

/** Removes the pictures of an undone text, which have not been undone with it. */
function remove(view: EditorView, { pictures }: Paste): void {
  const { doc } = view.state;
  const standing = pictures.filter(({ from, to }) => to > from);
  if (standing.length === 0) return;
  for (const picture of standing) picture.removed = doc.sliceString(picture.from, picture.to);
  view.dispatch({ changes: standing.map(({ from, to }) => ({ from, to })), annotations: notInHistory });
}

export const notInHistory = Transaction.addToHistory.of(false);
