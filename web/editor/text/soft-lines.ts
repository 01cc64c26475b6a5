import { syntaxTree } from '@codemirror/language';
import type { Extension, Text } from '@codemirror/state';
import { ViewPlugin } from '@codemirror/view';

/** A line that is longer was more likely wrapped than ended. */
const endedCharacters = 50;
/** How long typing must pause before the lines are looked at, in milliseconds. */
const restMs = 800;

/**
 * The ends of the lines of an essay that run together when it is read, because CommonMark takes one
 * Enter for a space: in paragraphs that hold a short line, such as a verse or an address.
 */
export function softLines(text: Text, tree: ReturnType<typeof syntaxTree>): number[] {
  const ends: number[] = [];
  tree.iterate({
    enter: ({ name, from, to, node }) => {
      if (name !== 'Paragraph') return true;
      const lines = text.sliceString(from, to).split('\n');
      if (lines.slice(0, -1).every(line => line.trim().length > endedCharacters)) return false;
      const hard = new Set(node.getChildren('HardBreak').map(({ to }) => to));
      let at = from;
      for (const line of lines.slice(0, -1)) {
        at += line.length;
        if (!hard.has(at) && !hard.has(at + 1)) ends.push(at);
        at += 1;
      }
      return false;
    },
  });
  return ends;
}

/**
 * Tells when typing rests whether lines would run together. The tree is the one that colours the text:
 * parsing a long essay once more held up its author's keys for a third of a second on a slow computer.
 */
export function watchSoftLines(tell: (hasSoftLines: boolean) => void): Extension {
  return ViewPlugin.define(view => {
    let timer: ReturnType<typeof setTimeout>;
    const look = () => {
      clearTimeout(timer);
      timer = setTimeout(() => tell(softLines(view.state.doc, syntaxTree(view.state)).length > 0), restMs);
    };
    look();
    return {
      update: ({ docChanged, startState, state }) => {
        // The end of a long text is parsed later.
        if (docChanged || syntaxTree(startState) !== syntaxTree(state)) look();
      },
      destroy: () => clearTimeout(timer),
    };
  });
}
