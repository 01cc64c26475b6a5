import { syntaxTree } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import type { Pasted } from './html-to-markdown.ts';
import type { PastedPictures } from './pasted-pictures.ts';

/** Meaningful markup: without any, the plain text is better. */
const meaning =
  /<(?:a|b|strong|i|em|del|s|h[1-6]|ul|ol|li|table|img|blockquote|pre|code)[\s>]|font-weight\s*:\s*(?:bold|[6-9]00)|font-style\s*:\s*italic|mso-list/i;
/** Larger HTML would block the page while it is converted; it is pasted as plain text. Characters. */
const mostCharacters = 2_000_000;

/**
 * Pastes text with its links, emphasis, lists, headings and tables, in one step of the history. With Shift it
 * is pasted as plain text. `onFiles` gets the pictures of the text, with the cursor at the place of each;
 * `pictures` makes them part of that step.
 */
export function htmlPaste(pictures: PastedPictures, onFiles: (files: File[]) => void): Extension {
  let isPlain = false;
  return EditorView.domEventHandlers({
    keydown: event => {
      isPlain = event.shiftKey && (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'v';
    },
    paste: (event, view) => {
      const html = event.clipboardData?.getData('text/html') ?? '';
      const words = event.clipboardData?.getData('text/plain') ?? '';
      const isFromCode = event.clipboardData?.types.includes('vscode-editor-data') ?? false;
      // A copied picture has its address as its plain text.
      const isPicture = /^(?:https?|file|data):\S+$/.test(words.trim()) && /<img\s/i.test(html);
      const wantsWords = isPlain;
      isPlain = false;
      if (isPicture || wantsWords || isFromCode || words.trim() === '' || html.length > mostCharacters)
        return false;
      if (!meaning.test(html) || isInCode(view)) return false;
      event.preventDefault();
      void pasteHtml(view, { html, words }, pictures, onFiles);
      return true;
    },
  });
}

async function pasteHtml(
  view: EditorView,
  { html, words }: { html: string; words: string },
  pictures: PastedPictures,
  onFiles: (files: File[]) => void,
): Promise<void> {
  const pasted = await convert(html, words);
  if (!view.dom.isConnected) return;
  const { from } = view.state.selection.main;
  const line = view.state.doc.lineAt(from);
  const isInLine = line.text.slice(0, from - line.from).trim() !== '';
  const gap = isInLine && /\n\n|^(?:#{1,6} |[-*>|] ?|\d+\. )/.test(pasted.markdown) ? '\n\n' : '';
  view.dispatch(view.state.replaceSelection(gap + pasted.markdown), {
    userEvent: 'input.paste',
    scrollIntoView: true,
    effects: pictures.pasted(from),
  });
  pictures.handOver(() => putPictures(view, from + gap.length, pasted.pictures, onFiles));
}

/** The plain text if the converter cannot be loaded, or fails. */
async function convert(html: string, words: string): Promise<Pasted> {
  try {
    const { htmlToMarkdown } = await import('./html-to-markdown.ts');
    const pasted = htmlToMarkdown(html);
    return pasted.markdown === '' && pasted.pictures.length === 0
      ? { markdown: words, pictures: [] }
      : pasted;
  } catch (error) {
    reportError(error);
    return { markdown: words, pictures: [] };
  }
}

function putPictures(
  view: EditorView,
  from: number,
  pictures: Pasted['pictures'],
  onFiles: (files: File[]) => void,
): void {
  const { anchor } = view.state.selection.main;
  for (const { at, address } of pictures) {
    const file = fileOf(address);
    if (file === undefined) continue;
    view.dispatch({ selection: { anchor: Math.min(from + at, view.state.doc.length) } });
    onFiles([file]);
  }
  view.dispatch({ selection: { anchor: Math.min(anchor, view.state.doc.length) } });
}

/** The picture of a data address as a file; undefined for anything else. */
function fileOf(address: string): File | undefined {
  const [, type = '', data = ''] = /^data:image\/(\w+);base64,([\w+/=\s]+)$/.exec(address) ?? [];
  const base64 = data.replaceAll(/\s/g, '');
  if (base64 === '' || base64.length % 4 !== 0) return undefined;
  const bytes = Uint8Array.from(atob(base64), character => character.charCodeAt(0));
  return new File([bytes], `picture.${type}`, { type: `image/${type}` });
}

/** Whether the cursor is in code, where a text has no markup. */
export function isInCode(view: EditorView): boolean {
  const { main } = view.state.selection;
  for (let node = syntaxTree(view.state).resolveInner(main.from, -1); ; ) {
    if (/Code/.test(node.name)) return true;
    if (node.parent === null) return false;
    node = node.parent;
  }
}
