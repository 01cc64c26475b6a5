import { ensureSyntaxTree } from '@codemirror/language';
import { type Annotation, Compartment, EditorState, type Extension, Prec } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';
import { type PastedLink, pastedLinks, putCard } from '../links/link-cards.ts';
import { htmlPaste } from '../paste/html-paste.ts';
import { notInHistory, PastedPictures } from '../paste/pasted-pictures.ts';
import { commands, type Format } from './commands.ts';
import { markdownWriting } from './extensions.ts';
import { reportText } from './report-text.ts';
import { softLines } from './soft-lines.ts';
import { type Warnings, watchWarnings } from './warnings.ts';

export type WritingOptions = {
  /** An empty element of the page, which gets a shadow tree for the text. */
  host: HTMLElement;
  content: string;
  /** Called after a change; in a long text when typing rests. */
  onChange(content: string): void;
  /** Called with pasted or dropped files; the cursor is at their place. */
  onFiles(files: File[]): void;
  /**
   * The address of a pasted or dropped picture that the post can show again; undefined if it must be
   * uploaded.
   */
  pictureOfPost(transfer: DataTransfer): string | undefined;
  /** Called with an address pasted alone on a line. */
  onLink(link: PastedLink): void;
  onHelp(): void;
  /** Called when typing rests, and the text has other warnings than before. */
  onWarnings(warnings: Warnings): void;
  /** Called before the text is focused from outside: it may be in a tab that is hidden. */
  onShow(): void;
};

/** How long parsing may take when all soft lines are ended, in milliseconds. */
const mostParsingMs = 5_000;

/** The actions of the other parts of the editor on the text. */
export type Writing = {
  /** Applies the format of a toolbar button or shortcut to the selection. */
  format(format: Format): void;
  /**
   * Remembers the position of the cursor, or the end of the text, while the text changes. The returned
   * function inserts a paragraph there, or with `continues` the next line of the previous one; it returns
   * false, and does nothing, once another text has replaced this one.
   */
  mark(isAtEnd?: boolean): (paragraph: string, continues?: boolean) => boolean;
  putCard(link: PastedLink, card: string): void;
  append(paragraph: string): void;
  /** Replaces parts of the text as it is now, in one step of the history. */
  change(partsOf: (text: string) => { from: number; to: number; insert: string }[]): void;
  /** Ends the lines that would otherwise run together. */
  keepLines(): void;
  /** Inserts dropped or pasted files at the cursor. Returns false if there are none. */
  take(transfer: DataTransfer): boolean;
  /** Links an error of the text to it, for screen readers; undefined for none. */
  describeError(error: string | undefined): void;
  focus(): void;
  destroy(): void;
};

/**
 * Starts CodeMirror in a shadow tree, because there its styles are adopted style sheets, which the page's
 * content policy allows; in the document itself they would be style elements, which it refuses.
 */
export function startWriting({ host, content, onChange, ...options }: WritingOptions): Writing {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  const marks = new Set<{ at: number }>();
  let isGone = false;
  const take = (transfer: DataTransfer) => {
    if (transfer.files.length === 0) return false;
    const known = options.pictureOfPost(transfer);
    if (known === undefined) options.onFiles([...transfer.files]);
    else insertParagraph(view, view.state.selection.main.to, `![](${known})`);
    return true;
  };
  const changes = EditorView.updateListener.of(update => {
    if (!update.docChanged) return;
    // After what is inserted at the same place, so that waiting files stay in order.
    for (const mark of marks) mark.at = update.changes.mapPos(mark.at, 1);
  });
  const help = () => {
    options.onHelp();
    return true;
  };
  const pasted = new PastedPictures((view, at, paragraph) =>
    insertParagraph(view, at, paragraph, notInHistory),
  );
  const description = root.appendChild(document.createElement('p'));
  description.id = 'error';
  description.hidden = true;
  const validity = new Compartment();
  const extensions = [
    validity.of([]),
    markdownWriting,
    Prec.high(keymap.of([{ key: 'Mod-/', run: help }])),
    attributes,
    changes,
    reportText(onChange),
    watchWarnings(options.onWarnings),
    pastedLinks(options.onLink),
    htmlPaste(pasted, options.onFiles),
    pasted.extension,
    transfers(take),
  ];
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({ doc: content, extensions }),
  });
  return {
    format: format => {
      commands[format](view);
      view.focus();
    },
    mark: isAtEnd => {
      const { doc, selection } = view.state;
      const put = pasted.take(selection.main.to);
      if (put !== undefined) {
        return paragraph => {
          if (!isGone) put(view, paragraph);
          return !isGone;
        };
      }
      const mark = { at: isAtEnd ? doc.length : selection.main.to };
      marks.add(mark);
      return (paragraph, continues = false) => {
        marks.delete(mark);
        // A destroyed view would accept changes that nobody sees.
        if (!isGone) (continues ? continueParagraph : insertParagraph)(view, mark.at, paragraph);
        return !isGone;
      };
    },
    take,
    putCard: (link, card) => putCard(view, link, card),
    append: paragraph => insertParagraph(view, view.state.doc.length, paragraph),
    change: partsOf => view.dispatch({ changes: partsOf(view.state.doc.toString()), userEvent: 'input' }),
    keepLines: () => {
      const { doc } = view.state;
      const tree = ensureSyntaxTree(view.state, doc.length, mostParsingMs);
      const ends = tree === null ? [] : softLines(doc, tree);
      view.dispatch({ changes: ends.map(from => ({ from, insert: '\\' })), userEvent: 'input' });
      view.focus();
    },
    describeError: error => {
      description.textContent = error ?? '';
      view.dispatch({ effects: validity.reconfigure(error === undefined ? [] : invalid) });
    },
    focus: () => {
      options.onShow();
      view.focus();
      view.dispatch({ effects: EditorView.scrollIntoView(view.state.selection.main) });
    },
    destroy: () => {
      isGone = true;
      view.destroy();
      description.remove();
    },
  };
}

const invalid = EditorView.contentAttributes.of({ 'aria-invalid': 'true', 'aria-describedby': 'error' });

const attributes = EditorView.contentAttributes.of({
  'aria-label': 'Content',
  spellcheck: 'true',
  autocorrect: 'on',
  autocapitalize: 'sentences',
});

/** Passes pasted or dropped data to `take`, dropped files at the drop position. */
function transfers(take: (transfer: DataTransfer) => boolean): Extension {
  const isTaken = (event: Event, transfer: DataTransfer | null) => {
    if (transfer === null || !take(transfer)) return false;
    event.preventDefault();
    return true;
  };
  return EditorView.domEventHandlers({
    paste: event => !hasWords(event.clipboardData) && isTaken(event, event.clipboardData),
    drop: (event, view) => {
      if ((event.dataTransfer?.files.length ?? 0) === 0) return false;
      const at = view.posAtCoords({ x: event.clientX, y: event.clientY });
      if (at !== null) view.dispatch({ selection: { anchor: at } });
      return isTaken(event, event.dataTransfer);
    },
  });
}

/**
 * Whether words were copied: office programs add a picture of them as a file. A copied picture has no plain
 * text, or only its address; a copied file has no HTML.
 */
function hasWords(transfer: DataTransfer | null): boolean {
  if (transfer === null || !transfer.types.includes('text/html')) return false;
  const words = transfer.getData('text/plain').trim();
  return words !== '' && !/^(?:https?|file|data):\S+$/.test(words);
}

/** Inserts the next line of the paragraph that ends before a position. */
function continueParagraph(view: EditorView, at: number, line: string): void {
  const gap = /\n*$/.exec(view.state.doc.sliceString(0, at))?.[0] ?? '';
  const isHere = view.state.selection.main.to === at;
  const insert = `\n${line}${gap}`;
  view.dispatch({
    changes: { from: at - gap.length, to: at, insert },
    ...(isHere && { selection: { anchor: at - gap.length + insert.length } }),
    userEvent: 'input.paste',
    scrollIntoView: isHere,
  });
}

/**
 * Inserts a separate paragraph at a position, with the empty lines that it needs; the cursor moves after it.
 * Returns the number of inserted characters.
 */
function insertParagraph(
  view: EditorView,
  at: number,
  paragraph: string,
  annotations: Annotation<unknown>[] | Annotation<unknown> = [],
): number {
  const { doc } = view.state;
  const before = doc.sliceString(0, at);
  const after = doc.sliceString(at);
  const gap = (text: string) => (text === '' ? 0 : 2);
  const start = '\n'.repeat(Math.max(0, gap(before) - (/\n{0,2}$/.exec(before)?.[0].length ?? 0)));
  const end = '\n'.repeat(Math.max(0, 2 - (/^\n{0,2}/.exec(after)?.[0].length ?? 0)));
  const insert = start + paragraph + end;
  const isHere = view.state.selection.main.to === at;
  view.dispatch({
    changes: { from: at, insert },
    ...(isHere && { selection: { anchor: at + insert.length } }),
    userEvent: 'input.paste',
    annotations,
    scrollIntoView: isHere,
  });
  return insert.length;
}
