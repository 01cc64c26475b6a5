import { syntaxTree } from '@codemirror/language';
import type { Extension, Text } from '@codemirror/state';
import { ViewPlugin } from '@codemirror/view';

/** A longer line was more likely wrapped than ended. */
const endedCharacters = 50;
/** How long typing must pause before the lines are checked, in milliseconds. */
const restMs = 800;

/**
 * The ends of an essay's lines that run together when it is rendered, because CommonMark treats one line
 * break as a space: in paragraphs with a short line, such as a verse or an address.
 */
export function softLines(text: Text, tree: ReturnType<typeof syntaxTree>): number[] {
  const ends: number[] = [];
  tree.iterate({
    enter: ({ name, from, to, node }) => {
      if (name !== 'Paragraph') return true;
      const lines = text.sliceString(from, to).split('\n');
      if (lines.slice(0, -1).every(line => line.trim().length > endedCharacters)) return false;
      // Pictures below each other are a grid.
      if (lines.every(line => /^\s*!\[.*\]\(.*\)\s*$/.test(line))) return false;
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
 * Reports when typing rests whether lines would run together. The tree is the one that colours the text:
 * parsing a long essay again delayed its author's keys by a third of a second on a slow computer.
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
