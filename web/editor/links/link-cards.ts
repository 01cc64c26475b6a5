import { isolateHistory } from '@codemirror/commands';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import type { Output } from '../../../contract/operations.ts';
import { isInCode } from '../paste/html-paste.ts';

export type LinkTold = NonNullable<Output<'describeLink'>['page']>;

/** An address alone on a line, where the author pasted it. */
export type PastedLink = { url: string; at: number };

/** Reports an address pasted alone on a line, which a card can be made of. */
export function pastedLinks(onPasted: (link: PastedLink) => void): Extension {
  return EditorView.domEventHandlers({
    paste: (event, view) => {
      const url = event.clipboardData?.getData('text/plain').trim() ?? '';
      const { main } = view.state.selection;
      const isAlone = main.empty && view.state.doc.lineAt(main.head).text.trim() === '';
      if (isAlone && isElsewhere(url) && !isInCode(view)) onPasted({ url, at: main.head });
      return false;
    },
  });
}

function isElsewhere(words: string): boolean {
  const url = /^https?:\/\/\S+$/.test(words) ? URL.parse(words) : null;
  return url !== null && url.origin !== location.origin;
}

/**
 * Replaces an address by a card, in the line nearest to where it was pasted, as a separate step of the
 * history. Does nothing if that line has changed.
 */
export function putCard(view: EditorView, { url, at }: PastedLink, card: string): void {
  const { doc } = view.state;
  const lines = Array.from({ length: doc.lines }, (_, index) => doc.line(index + 1));
  const [line] = lines
    .filter(({ text }) => text.trim() === url)
    .sort((one, other) => Math.abs(one.from - at) - Math.abs(other.from - at));
  if (line === undefined) return;
  const isFilled = (number: number) =>
    number > 0 && number <= doc.lines && doc.line(number).text.trim() !== '';
  const [before, after] = [line.number - 1, line.number + 1].map(number => (isFilled(number) ? '\n' : ''));
  view.dispatch({
    changes: { from: line.from, to: line.to, insert: `${before}${card}${after}` },
    annotations: isolateHistory.of('full'),
    userEvent: 'input.card',
  });
}

/** A link with a title, and a picture before its words: Markdown that every program understands. */
export function cardOf(url: string, { title, sentence, picture }: LinkTold): string {
  const address = url.replaceAll('(', '%28').replaceAll(')', '%29');
  const shown = picture === null ? '' : `![](${picture}) `;
  const words = title.replaceAll(/[[\]\\`*_<>!&~]/g, '\\$&');
  const said = (sentence || new URL(url).host).replaceAll(/["\\&<]/g, '\\$&');
  return `[${shown}${words}](${address} "${said}")`;
}
