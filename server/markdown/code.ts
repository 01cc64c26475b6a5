import type { ElementContent, Root } from 'hast';
import rehypeHighlight from 'rehype-highlight';
import { VFile } from 'vfile';
import { h } from './elements.ts';
import { withTimeLimit } from './time-limit.ts';
import { eachNode } from './walk.ts';

/**
 * The longest block of code that is highlighted, in characters, and the time for all blocks of a text, in
 * milliseconds.
 */
const highlightedCharacters = 20_000;
const highlightingTime = 2_000;
/**
 * Code of a text that needs no time limit, in characters: the worst case found takes 70 ms, and each watchdog
 * needs a thread.
 */
const shortCode = 2_000;

/**
 * Made at the first code: most processes never highlight any, and loading the languages takes a twentieth of
 * a start.
 */
let highlight: ReturnType<typeof rehypeHighlight> | undefined;

/**
 * Highlights the code of a sanitised tree with class names (highlight.js, its common languages); unknown
 * languages stay plain. Highlighting is decoration and the grammars can be slow on contrived code, so slow
 * code stays plain, too: very long blocks, and the rest when the time is up. Returns whether there is any
 * code to highlight.
 */
export function highlightCode(tree: Root): boolean {
  const languages = new Set<string>();
  let characters = 0;
  eachNode(tree, node => {
    if (node.type !== 'element') return;
    const { className } = node.properties;
    if (node.tagName !== 'code' || !Array.isArray(className)) return;
    const length = lengthOf(node.children);
    if (length > highlightedCharacters) className.push('no-highlight');
    else {
      languages.add(String(className[0]));
      characters += length;
    }
  });
  if (languages.size === 0) return false;
  highlight ??= rehypeHighlight();
  const colour = highlight;
  if (characters <= shortCode) {
    colour(tree, new VFile());
    return true;
  }
  // A grammar is compiled at its first use, which is not counted against this text.
  colour({ type: 'root', children: [...languages].map(emptyBlock) }, new VFile());
  const done = withTimeLimit(highlightingTime, () => colour(tree, new VFile()));
  // The interruption may have hit the compiling of a grammar: start afresh.
  if (done === undefined) highlight = undefined;
  return true;
}

const emptyBlock = (language: string) => h('pre', {}, h('code', { className: [language] }));

const lengthOf = (nodes: ElementContent[]): number =>
  nodes.reduce((sum, node) => {
    const inside = node.type === 'element' ? lengthOf(node.children) : 0;
    return sum + (node.type === 'text' ? node.value.length : inside);
  }, 0);
