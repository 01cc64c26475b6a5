import type { syntaxTree } from '@codemirror/language';
import type { Text } from '@codemirror/state';

/** A longer line was more likely wrapped than ended. */
const endedCharacters = 50;

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
      for (const [index, line] of lines.slice(0, -1).entries()) {
        at += line.length;
        const isFollowedByFootnote = /^ {0,3}\[\^[^\]]+\]:/.test(lines[index + 1] ?? '');
        if (!isFollowedByFootnote && !hard.has(at) && !hard.has(at + 1)) ends.push(at);
        at += 1;
      }
      return false;
    },
  });
  return ends;
}
