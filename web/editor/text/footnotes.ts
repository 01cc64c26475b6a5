import type { syntaxTree } from '@codemirror/language';

const reference = /(?<!\\)\[\^([^\s[\]]+)\](?!\()(:?)/g;
/** What may stand before the note itself: quotation, indent, the mark of a list. */
const noteStart = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?$/;

/**
 * The references to footnotes that have no note, in their order: readers would see `[^1]`. CodeMirror's
 * parser knows no footnotes, but where code is.
 */
export function referencesWithoutNote(text: string, tree: ReturnType<typeof syntaxTree>): string[] {
  const notes = new Set<string>();
  const references = new Map<string, string>();
  for (const { 0: all, 1: label = '', 2: colon, index } of text.matchAll(reference)) {
    if (isCode(tree, index)) continue;
    const name = label.toLowerCase();
    const isNote = colon === ':' && noteStart.test(text.slice(text.lastIndexOf('\n', index) + 1, index));
    if (isNote) notes.add(name);
    else if (!references.has(name)) references.set(name, all.replace(/:$/, ''));
  }
  return [...references].flatMap(([name, written]) => (notes.has(name) ? [] : written));
}

function isCode(tree: ReturnType<typeof syntaxTree>, at: number): boolean {
  for (let node = tree.resolveInner(at, 1); ; ) {
    if (/Code|Comment/.test(node.name)) return true;
    if (node.parent === null) return false;
    node = node.parent;
  }
}
