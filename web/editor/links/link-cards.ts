import { isolateHistory } from '@codemirror/commands';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import type { Output } from '../../../contract/operations.ts';

/** What the server has read about a page. */
export type LinkTold = NonNullable<Output<'describeLink'>['page']>;

/**
 * An address that is pasted alone on a line becomes a card, once the server has read its page. That is a step
 * of its own in the history: undone, the address stands there again.
 */
export function linkCards(describe: (url: string) => Promise<LinkTold | null>): Extension {
  return EditorView.domEventHandlers({
    paste: (event, view) => {
      const words = event.clipboardData?.getData('text/plain').trim() ?? '';
      const { main } = view.state.selection;
      const isAlone = main.empty && view.state.doc.lineAt(main.head).text.trim() === '';
      if (!isAlone || !isElsewhere(words)) return false;
      void describe(words).then(told => {
        if (told !== null && view.dom.isConnected) putCard(view, words, cardOf(words, told));
      });
      // Until then it stands there as it is.
      return false;
    },
  });
}

function isElsewhere(words: string): boolean {
  const url = /^https?:\/\/\S+$/.test(words) ? URL.parse(words) : null;
  return url !== null && url.origin !== location.origin;
}

/** Nothing happens where its line has been changed meanwhile. */
function putCard(view: EditorView, url: string, card: string): void {
  const { doc } = view.state;
  for (let number = 1; number <= doc.lines; number += 1) {
    const { from, to, text } = doc.line(number);
    if (text.trim() !== url) continue;
    const before = number > 1 && doc.line(number - 1).text.trim() !== '' ? '\n' : '';
    const after = number < doc.lines && doc.line(number + 1).text.trim() !== '' ? '\n' : '';
    view.dispatch({
      changes: { from, to, insert: before + card + after },
      annotations: isolateHistory.of('full'),
      userEvent: 'input.card',
    });
    return;
  }
}

/** A link with a title, and a picture before its words: Markdown that every program understands. */
export function cardOf(url: string, { title, sentence, picture }: LinkTold): string {
  const address = url.replaceAll('(', '%28').replaceAll(')', '%29');
  const shown = picture === null ? '' : `![](${picture}) `;
  const words = title.replaceAll(/[[\]\\`*_<>!&~]/g, '\\$&');
  const said = sentence === '' ? '' : ` "${sentence.replaceAll(/["\\&<]/g, '\\$&')}"`;
  return `[${shown}${words}](${address}${said})`;
}
