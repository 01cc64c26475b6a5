import { defaultKeymap, history, historyKeymap, indentLess, indentMore } from '@codemirror/commands';
import { markdown, markdownKeymap, markdownLanguage } from '@codemirror/lang-markdown';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorState, Prec, type StateCommand } from '@codemirror/state';
import { Decoration, EditorView, type KeyBinding, keymap, placeholder } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { commands, type Format } from './commands.ts';
import { formatKeys } from './formats.ts';

export type WritingOptions = {
  /** An empty element of the page, which gets a shadow tree for the text. */
  host: HTMLElement;
  content: string;
  label: string;
  onChange(content: string): void;
  /** Called with files that were pasted or dropped; the cursor is where they belong. */
  onFiles(files: File[]): void;
  /** The address of a pasted or dropped picture that is shown again by it; undefined for what must be uploaded. */
  pictureOfPost(transfer: DataTransfer): string | undefined;
  onHelp(): void;
};

/** What the other parts of the editor do with the text. */
export type TextHandle = Pick<Writing, 'focus' | 'append' | 'take'>;

export type Writing = {
  /** Applies the format of a toolbar button or shortcut to the selection. */
  format(format: Format): void;
  /**
   * Remembers the place of the cursor, also while the text changes. The returned function inserts a paragraph there; it
   * returns false, and does nothing, once another text has replaced this one.
   */
  mark(): (paragraph: string) => boolean;
  /** Appends a paragraph. */
  append(paragraph: string): void;
  /** Inserts the files of what was dropped or pasted at the cursor. Returns false for what holds none. */
  take(transfer: DataTransfer): boolean;
  focus(): void;
  destroy(): void;
};

/**
 * Starts CodeMirror. It is in a shadow tree, because there its styles are adopted style sheets, which the page's
 * content policy allows; in the document itself they would be style elements, which it refuses.
 */
export function startWriting({
  host,
  content,
  label,
  onChange,
  onFiles,
  pictureOfPost,
  onHelp,
}: WritingOptions): Writing {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  const marks = new Set<{ at: number }>();
  let isGone = false;
  const help = () => {
    onHelp();
    return true;
  };
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: content,
      extensions: [
        history(),
        Prec.highest(keymap.of([{ key: 'Escape', run: releaseTab }])),
        Prec.high(keymap.of([...formatKeymap, { key: 'Mod-/', run: help }, keptAnyway])),
        keymap.of([...markdownKeymap, ...listKeymap, ...defaultKeymap, ...historyKeymap]),
        markdown({ base: markdownLanguage, addKeymap: false, completeHTMLTags: false }),
        syntaxHighlighting(highlights),
        EditorView.lineWrapping,
        ownDirections,
        EditorView.scrollMargins.of(() => clear),
        placeholder('Write here, in Markdown…'),
        theme,
        EditorView.contentAttributes.of({
          'aria-label': label,
          spellcheck: 'true',
          autocorrect: 'on',
          autocapitalize: 'sentences',
        }),
        EditorView.updateListener.of(update => {
          if (!update.docChanged) return;
          // After what is inserted at the same place, so that waiting files stay in order.
          for (const mark of marks) mark.at = update.changes.mapPos(mark.at, 1);
          onChange(update.state.doc.toString());
        }),
        EditorView.domEventHandlers({
          paste: event => event.clipboardData !== null && take(event.clipboardData) && isTaken(event),
          drop: (event, target) => {
            if ((event.dataTransfer?.files.length ?? 0) === 0) return false;
            const at = target.posAtCoords({ x: event.clientX, y: event.clientY });
            if (at !== null) target.dispatch({ selection: { anchor: at } });
            return event.dataTransfer !== null && take(event.dataTransfer) && isTaken(event);
          },
        }),
      ],
    }),
  });
  const take = (transfer: DataTransfer) => {
    if (transfer.files.length === 0) return false;
    const known = pictureOfPost(transfer);
    if (known === undefined) onFiles([...transfer.files]);
    else insertParagraph(view, view.state.selection.main.to, `![](${known})`);
    return true;
  };
  const isTaken = (event: Event) => {
    event.preventDefault();
    return true;
  };
  return {
    format: format => {
      commands[format](view);
      view.focus();
    },
    mark: () => {
      const mark = { at: view.state.selection.main.to };
      marks.add(mark);
      return paragraph => {
        marks.delete(mark);
        // A destroyed view would accept changes that nobody sees.
        if (!isGone) insertParagraph(view, mark.at, paragraph);
        return !isGone;
      };
    },
    take,
    append: paragraph => insertParagraph(view, view.state.doc.length, paragraph),
    focus: () => view.focus(),
    destroy: () => {
      isGone = true;
      view.destroy();
    },
  };
}

/** Inserts a separate paragraph at a place, with the empty lines that it needs; the cursor moves after it. */
function insertParagraph(view: EditorView, at: number, paragraph: string): void {
  const { doc } = view.state;
  const [before, after] = [doc.sliceString(0, at), doc.sliceString(at)];
  const gap = (text: string) => (text === '' ? 0 : 2);
  const start = '\n'.repeat(Math.max(0, gap(before) - (/\n{0,2}$/.exec(before)?.[0].length ?? 0)));
  const end = '\n'.repeat(Math.max(0, 2 - (/^\n{0,2}/.exec(after)?.[0].length ?? 0)));
  const insert = start + paragraph + end;
  const isHere = view.state.selection.main.to === at;
  view.dispatch({
    changes: { from: at, insert },
    ...(isHere && { selection: { anchor: at + insert.length } }),
    userEvent: 'input.paste',
    scrollIntoView: isHere,
  });
}

const formatKeymap: KeyBinding[] = Object.entries(formatKeys).map(([format, key]) => ({
  key,
  run: commands[format as Format],
}));

/**
 * Makes the save shortcut do nothing, instead of the browser's dialog: what is typed is kept in the browser anyway, and
 * only the button saves.
 */
const keptAnyway: KeyBinding = { key: 'Mod-s', run: () => true };

/** Gives each line the direction of its own words; CodeMirror moves the cursor through it accordingly. */
const fromItsWords = Decoration.line({ attributes: { dir: 'auto' } });
const ownDirections = [
  EditorView.perLineTextDirection.of(true),
  EditorView.decorations.of(view => {
    const lines = [];
    for (const { from, to } of view.visibleRanges) {
      for (let at = from; at <= to; at = view.state.doc.lineAt(at).to + 1) {
        lines.push(fromItsWords.range(view.state.doc.lineAt(at).from));
      }
    }
    return Decoration.set(lines, true);
  }),
];

/** The heights that toolbar and save bar cover, in pixels: the cursor is scrolled clear of them. */
const clear = { top: 104, bottom: 160 };

/**
 * How long Tab moves the focus after Escape, in milliseconds. CodeMirror has the same rule, but only while nothing is
 * selected.
 */
const tabReleasedMs = 2_000;
const releaseTab = (view: EditorView) => {
  view.setTabFocusMode(tabReleasedMs);
  return false;
};

/** Tab indents only in a list; there, Escape makes the next Tab move the focus. */
const inList = (command: StateCommand): StateCommand => {
  return target => {
    const { doc, selection } = target.state;
    return /^\s*(?:[-*+]|\d{1,9}[.)])\s/.test(doc.lineAt(selection.main.head).text) && command(target);
  };
};
const listKeymap: KeyBinding[] = [{ key: 'Tab', run: inList(indentMore), shift: inList(indentLess) }];

const theme = EditorView.theme({
  '&': { color: 'var(--ink)', fontSize: 'var(--size-text)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--serif)', lineHeight: 'var(--leading)', overflow: 'visible' },
  '.cm-content': { padding: '1rem', minHeight: '16rem', caretColor: 'var(--accent)' },
  '.cm-line': { padding: '0' },
  '.cm-placeholder': { color: 'var(--muted)' },
  '::selection': { background: 'var(--mark)' },
});

const highlights = HighlightStyle.define([
  { tag: tags.heading, fontWeight: '600', lineHeight: '1.3' },
  { tag: tags.heading1, fontSize: '1.4em' },
  { tag: tags.heading2, fontSize: '1.2em' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: tags.strong, fontWeight: '600' },
  { tag: tags.strikethrough, textDecoration: 'line-through' },
  { tag: tags.link, color: 'var(--accent)' },
  { tag: tags.quote, color: 'var(--ink-soft)', fontStyle: 'italic' },
  { tag: tags.monospace, fontFamily: 'var(--mono)', fontSize: '0.88em', color: 'var(--code-string)' },
  {
    tag: [tags.url, tags.labelName, tags.string],
    color: 'var(--muted)',
    fontFamily: 'var(--mono)',
    fontSize: '0.82em',
  },
  // The marks themselves are paler than the words.
  {
    tag: [tags.processingInstruction, tags.contentSeparator, tags.meta, tags.comment],
    color: 'var(--muted)',
  },
]);
