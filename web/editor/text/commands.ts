import { EditorSelection, type StateCommand, type Text, type TransactionSpec } from '@codemirror/state';

/** The formats of toolbar and shortcuts. Applying one twice removes it again. */
export type Format = 'bold' | 'italic' | 'code' | 'link' | 'heading' | 'quote' | 'list';

export const commands: Record<Format, StateCommand> = {
  bold: wrap('**'),
  italic: wrap('*'),
  code: target => {
    const { doc, selection } = target.state;
    const isBlock = selection.ranges.some(
      ({ from, to }) => doc.lineAt(from).number !== doc.lineAt(to).number,
    );
    return (isBlock ? fence : wrap('`'))(target);
  },
  link: target => {
    const { state } = target;
    const changes = state.changeByRange(({ from, to }) => {
      const text = state.sliceDoc(from, to);
      const isAddress = /^https?:\/\/\S+$/.test(text);
      const label = isAddress ? '' : text;
      const insert = `[${label}](${isAddress ? text : 'https://'})`;
      // The cursor goes to the missing part: the label, or else the address.
      const address = from + label.length + 3;
      const range = isAddress || label === '' ? EditorSelection.cursor(from + 1) : undefined;
      return {
        changes: { from, to, insert },
        range: range ?? EditorSelection.range(address, address + 'https://'.length),
      };
    });
    return write(target, changes);
  },
  heading: prefix('## ', /^#{1,6} /),
  quote: prefix('> ', /^> ?/),
  list: prefix('- ', /^[-*+] /),
};

/** Applies a change as if it were typed. */
function write({ state, dispatch }: Parameters<StateCommand>[0], change: TransactionSpec): true {
  dispatch(state.update(change, { userEvent: 'input', scrollIntoView: true }));
  return true;
}

function wrap(mark: string): StateCommand {
  return target => {
    const { state } = target;
    const changes = state.changeByRange(range => {
      const { from, to } = range.empty ? (state.wordAt(range.head) ?? range) : range;
      const size = mark.length;
      // A cursor stays in its word: selected, the word would be replaced by the next key.
      const moved = (by: number) =>
        range.empty ? EditorSelection.cursor(range.head + by) : EditorSelection.range(from + by, to + by);
      const isAround = (start: number, end: number) =>
        state.sliceDoc(start, start + size) === mark &&
        state.sliceDoc(end - size, end) === mark &&
        // An asterisk that belongs to a pair does not count.
        (mark !== '*' || state.sliceDoc(start - 1, start) !== '*');
      if (from - size >= 0 && isAround(from - size, to + size)) {
        return {
          changes: [
            { from: from - size, to: from },
            { from: to, to: to + size },
          ],
          range: moved(-size),
        };
      }
      return {
        changes: [
          { from, insert: mark },
          { from: to, insert: mark },
        ],
        range: moved(size),
      };
    });
    return write(target, changes);
  };
}

const fence: StateCommand = target => {
  const { doc, selection } = target.state;
  const { from, to } = selection.main;
  return write(target, {
    changes: [
      { from: doc.lineAt(from).from, insert: '```\n' },
      { from: doc.lineAt(to).to, insert: '\n```' },
    ],
  });
};

function prefix(mark: string, found: RegExp): StateCommand {
  return target => {
    const { doc, selection } = target.state;
    const lines = linesBetween(doc, selection.main.from, selection.main.to);
    const isSet = lines.every(line => found.test(line.text));
    const changes = lines.map(line => {
      const length = found.exec(line.text)?.[0].length ?? 0;
      return { from: line.from, to: line.from + length, insert: isSet ? '' : mark };
    });
    return write(target, { changes });
  };
}

function linesBetween(doc: Text, from: number, to: number) {
  const lines = [];
  for (let line = doc.lineAt(from); ; line = doc.line(line.number + 1)) {
    // An empty line between paragraphs stays empty, unless it is all that is selected.
    if (line.text.trim() !== '' || from === to) lines.push(line);
    if (line.to >= to || line.number === doc.lines) break;
  }
  return lines.length > 0 ? lines : [doc.lineAt(from)];
}
