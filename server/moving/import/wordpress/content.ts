import { programBeside } from '../../../base/program.ts';
import { inBounds } from '../../../markdown/bounds.ts';
import { TextWorker } from '../../../markdown/text-worker.ts';
import { replaceEnclosed } from '../enclosed.ts';
import { wordsOfHtml } from '../html/lost-words.ts';
import { htmlToMarkdown, refuseLongHtml } from '../html/to-markdown.ts';
import { type WpCode, withoutCode } from './code.ts';
import type { WpConversion } from './convert.ts';
import { fileHtml, unknownShortcodes, withoutBrackets, withoutShortcodes } from './shortcodes.ts';
import type { WpSite } from './site.ts';

/** Blocks that WordPress fills when a page is read; an export has only their position. */
const selfClosing = /<!-- wp:([a-z][\w/-]*)(?:\s+\{[^\n<]*?\})?\s+\/-->/g;
const sharedBlock = /<!-- wp:block \{"ref":(\d+)[^\n<]*?\}\s*\/-->/g;
/** Blocks that show nothing even there, or whose text is in the post. */
const silent =
  /^(?:more|nextpage|spacer|separator|footnotes|post-|template-part|pattern|social-link|page-list)/;

/**
 * The content of a post with its shared blocks inserted; a block that the export lacks stays as written.
 * Throws as `htmlToMarkdown` does.
 */
export function withSharedBlocks(written: string, site: WpSite): string {
  const blockOf = (whole: string, id: string) => {
    const block = site.blocks.get(id);
    // The comment marks a post of the block editor, whatever the block contains.
    return block === undefined ? whole : `<!-- wp:block -->${block}`;
  };
  return inBounds(written, () => written.replaceAll(sharedBlock, blockOf));
}

/** Converts one post while others are read and saved: it takes a third of an import. */
const converter = new TextWorker<WpConversion, string>(programBeside(import.meta.url, 'convert-worker'));

/** `words` are those of the source, however they were converted. */
type WpContent = { content: string; notes: string[]; words: string };

/**
 * The text of a post as Markdown: of the block editor, whose comments add nothing to its HTML, or of the
 * classic one; `written` has its shared blocks. `meta` has the post's footnotes. Throws as `htmlToMarkdown`
 * does.
 */
export async function contentOf(
  written: string,
  { site, postId, meta }: { site: WpSite; postId: string; meta: ReadonlyMap<string, string> },
): Promise<WpContent> {
  // Before it is searched, and copied for the worker.
  refuseLongHtml(written.length);
  const notes: string[] = [];
  const { html, codes, words } = inBounds(written, () => {
    const { content, codes } = withoutCode(written);
    const dynamic = new Set([...content.matchAll(selfClosing)].map(([, name = '']) => name));
    const lost = [...dynamic].filter(name => !silent.test(name)).sort();
    if (lost.length > 0)
      notes.push(`left out, because WordPress fills them when they are read: ${lost.join(', ')}`);
    const plain = withoutShortcodes(content, site, postId);
    const unknown = unknownShortcodes(plain);
    if (unknown.length > 0) notes.push(`these shortcodes of plugins stay as words: ${unknown.join(', ')}`);
    const html = /<!-- wp:/.test(content) ? plain : withParagraphs(plain);
    return { html, codes, words: wordsOf(content, codes) };
  });
  const content = await converter.run(html, { codes, footnotes: meta.get('footnotes') });
  return { content, notes, words };
}

/** The featured picture of a post, shown above its text unless the text has it. */
export function withFeatured(content: string, id: string | undefined, site: WpSite): string {
  const picture = id === undefined ? undefined : site.attachments.get(id.trim());
  if (picture === undefined) return content;
  const name =
    picture.url
      .split('/')
      .at(-1)
      ?.replace(/\.\w+$/, '') ?? '';
  if (name === '' || content.includes(name)) return content;
  return `${htmlToMarkdown(fileHtml({ ...picture, caption: '' }))}\n\n${content}`.trim();
}

/**
 * Elements that only serve the original page: the number of a footnote, a second link to a file, text for
 * screen readers.
 */
const besideText = {
  opening:
    /<(?<name>sup(?=\s[^<>]*\bdata-fn=)|(?:a|span)(?=\s[^<>]*\bclass="[^"<>]*(?:wp-block-file__button|screen-reader-text)))\b[^<>]*>/gi,
  closing: /<\/(?<name>sup|a|span)>/gi,
};

const wordsOf = (content: string, codes: readonly WpCode[]) =>
  [
    wordsOfHtml(replaceEnclosed(withoutBrackets(content), besideText, () => ' ')),
    ...codes.map(({ code }) => code),
  ].join('\n');

const blockNames =
  'address article aside blockquote dd details div dl dt fieldset figcaption figure footer form h[1-6] header hr li main nav ol p section summary table tbody td tfoot th thead tr ul';
const blocks = blockNames.replaceAll(' ', '|');
/** Elements that keep their own line breaks. */
const untouched = {
  opening: /<(?<name>pre|script|style|textarea)\b/gi,
  closing: /<\/(?<name>pre|script|style|textarea)\s*>/gi,
};
const opening = new RegExp(`(?<!\\s)\\s*(<(?:${blocks})\\b(?:"[^"]*"|'[^']*'|[^"'<>])*>)`, 'gi');
const closing = new RegExp(`(</(?:${blocks})\\s*>)\\s*`, 'gi');
const startsAsBlock = new RegExp(`^</?(?:${blocks}|pre)\\b`, 'i');

/**
 * The HTML of a post of WordPress's classic editor, in which blank lines separate paragraphs and line breaks
 * are kept, as WordPress renders it ("wpautop").
 */
function withParagraphs(content: string): string {
  const kept: string[] = [];
  const text = replaceEnclosed(content.replaceAll(/\r\n?/g, '\n'), untouched, ([tag, name], inside) => {
    const place = kept.push(`${tag}${inside}</${name}>`) - 1;
    return `\n\n<!--kept ${place}-->\n\n`;
  })
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
