import { defaultKeymap, history, historyKeymap, indentLess, indentMore } from '@codemirror/commands';
import { markdownKeymap, markdownLanguage, pasteURLAsLink } from '@codemirror/lang-markdown';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { type Extension, Prec, type StateCommand } from '@codemirror/state';
import { Decoration, EditorView, type KeyBinding, keymap, placeholder } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { commands } from './commands.ts';
import { formats } from './formats.ts';

const formatKeymap: KeyBinding[] = formats.map(({ format, key }) => ({ key, run: commands[format] }));

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
/** A lower screen, in pixels, has no bars over the text (web/styles/editor-text.css). */
const lowScreen = 384;

/**
 * How long Tab moves the focus after Escape, in milliseconds. CodeMirror has the same rule, but only while
 * nothing is selected.
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

/**
 * Enter in an empty item or line of a quotation ends it. With an empty line: without one, what is typed
 * next would still belong to the last item (CommonMark calls it a lazy continuation).
 */
const endBlock: StateCommand = ({ state, dispatch }) => {
  const { main } = state.selection;
  const line = state.doc.lineAt(main.head);
  const isMark = /^(?:(?:[-*+]|\d{1,9}[.)])(?: +\[[ xX]\])?|>)[ \t]*$/.test(line.text);
  if (!main.empty || main.head !== line.to || !isMark || line.number === 1) return false;
  if (state.doc.line(line.number - 1).text.trim() === '') return false;
  const changes = { from: line.from, to: line.to, insert: '\n' };
  dispatch(
    state.update({ changes, selection: { anchor: line.from + 1 }, userEvent: 'input', scrollIntoView: true }),
  );
  return true;
};

const theme = EditorView.theme({
  '&': { color: 'var(--ink)', fontSize: 'var(--size-text)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--serif)', lineHeight: 'var(--leading)', overflow: 'visible' },
  '.cm-content': { padding: '1rem', minHeight: '16rem', caretColor: 'var(--accent)' },
  '.cm-line': { padding: '0' },
  '.cm-placeholder': { color: 'var(--muted)' },
  '::selection': { background: 'var(--mark)' },
});

const small = { color: 'var(--muted)', fontFamily: 'var(--mono)', fontSize: '0.82em' };

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
  { tag: [tags.labelName, tags.string], ...small },
  // A long address begins in the line of its link.
  { tag: tags.url, ...small, wordBreak: 'break-all' },
  // The syntax itself is paler than the words.
  {
    tag: [tags.processingInstruction, tags.contentSeparator, tags.meta, tags.comment],
    color: 'var(--muted)',
  },
]);

/** The editing and the look of Markdown, in every editor. */
export const markdownWriting: Extension = [
  history(),
  Prec.highest(keymap.of([{ key: 'Escape', run: releaseTab }])),
  Prec.high(keymap.of(formatKeymap)),
  keymap.of([
    { key: 'Enter', run: endBlock },
    ...markdownKeymap,
    ...listKeymap,
    ...defaultKeymap,
    ...historyKeymap,
  ]),
  // Not `markdown()`, which includes the parsers of HTML, CSS and JavaScript: 57 kB for coloured attributes.
  markdownLanguage.extension,
  pasteURLAsLink,
  syntaxHighlighting(highlights),
  EditorView.lineWrapping,
  ownDirections,
  EditorView.scrollMargins.of(() => (window.innerHeight < lowScreen ? null : clear)),
  placeholder('Write here, in Markdown...'),
  theme,
];
