const blockNames =
  'address article aside blockquote dd details div dl dt fieldset figcaption figure footer form h[1-6] header hr li main nav ol p section summary table tbody td tfoot th thead tr ul';
const blocks = blockNames.replaceAll(' ', '|');
/** Elements that keep their own line breaks. */
const untouched = /<(pre|script|style|textarea)\b[\s\S]*?<\/\1\s*>/gi;
const opening = new RegExp(`\\s*(<(?:${blocks})\\b[^>]*>)`, 'gi');
const closing = new RegExp(`(</(?:${blocks})\\s*>)\\s*`, 'gi');
const startsAsBlock = new RegExp(`^</?(?:${blocks}|pre)\\b`, 'i');

/**
 * The HTML of a post of WordPress's classic editor, in which blank lines separate paragraphs and line breaks
 * are kept, as WordPress renders it ("wpautop").
 */
export function withParagraphs(content: string): string {
  const kept: string[] = [];
  const text = content
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(untouched, block => `\n\n<!--kept ${kept.push(block) - 1}-->\n\n`)
    .replaceAll(opening, '\n\n$1')
    .replaceAll(closing, '$1\n\n');
  const paragraphs = text
    .split(/\n\s*\n/)
    .map(part => part.trim())
    .filter(part => part !== '')
    .map(part => {
      if (part.startsWith('<!--kept ')) return part;
      const isBlock = startsAsBlock.test(part);
      const lines = part.replaceAll(isBlock ? /(?<!>)\n(?!\s*<)/g : /(?<!<br\s?\/?>)\n/gi, '<br>\n');
      return isBlock ? lines : `<p>${lines}</p>`;
    });
  return paragraphs.join('\n').replaceAll(/<!--kept (\d+)-->/g, (_, index) => kept[Number(index)] ?? '');
}
