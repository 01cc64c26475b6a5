import { GFM, parser } from '@lezer/markdown';

const markdown = parser.configure(GFM);
/** A line that is longer was more likely wrapped than ended. */
const endedCharacters = 50;

/**
 * The ends of the lines of an essay that run together when it is read, because CommonMark takes one
 * Enter for a space: in paragraphs that hold a short line, such as a verse or an address.
 */
export function softLines(content: string): number[] {
  const ends: number[] = [];
  // Most texts have none, and are not parsed.
  if (!/\S\n[^\S\n]*\S/.test(content)) return ends;
  markdown.parse(content).iterate({
    enter: ({ name, from, to, node }) => {
      if (name !== 'Paragraph') return;
      const lines = content.slice(from, to).split('\n');
      if (lines.slice(0, -1).every(line => line.trim().length > endedCharacters)) return;
      const hard = new Set(node.getChildren('HardBreak').map(({ to }) => to));
      let at = from;
      for (const line of lines.slice(0, -1)) {
        at += line.length;
        if (!hard.has(at) && !hard.has(at + 1)) ends.push(at);
        at += 1;
      }
    },
  });
  return ends;
}
