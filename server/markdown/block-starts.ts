import { startTags } from './start-tags.ts';

const tags = new RegExp(`${startTags.source}|</[a-z][\\w-]*>`, 'g');
/** The elements of a rendered text (schema.ts) without an end tag. */
const empty = /^<(?:br|hr|img|input|wbr)\b/;

/** Where the outermost elements of rendered HTML begin in it. */
export function blockStarts(html: string): number[] {
  const starts: number[] = [];
  let depth = 0;
  for (const { 0: tag, index } of html.matchAll(tags)) {
    if (tag.startsWith('</')) {
      depth -= 1;
      continue;
    }
    if (depth === 0) starts.push(index);
    if (!empty.test(tag)) depth += 1;
  }
  return starts;
}
