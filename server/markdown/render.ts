import type { Root as HtmlRoot } from 'hast';
import type { Root } from 'mdast';
import rehypeSanitize from 'rehype-sanitize';
import rehypeSlug from 'rehype-slug';
import rehypeStringify from 'rehype-stringify';
import remarkCjkFriendly from 'remark-cjk-friendly';
import remarkCjkFriendlyGfmStrikethrough from 'remark-cjk-friendly-gfm-strikethrough';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import remarkRehype from 'remark-rehype';
import { unified } from 'unified';
import { VFile } from 'vfile';
import { AppError } from '../../contract/errors.ts';
import { cutMarks } from '../../contract/marks.ts';
import { countShortPost } from '../../contract/visible-text.ts';
import { rehypeBlocks } from './blocks.ts';
import {
  isTooLarge,
  refuseFilledTables,
  refuseTooDeep,
  refuseTooLong,
  tooComplex,
  withoutOverflow,
} from './bounds.ts';
import { rehypeCameraNames } from './camera-names.ts';
import { highlightCode } from './code.ts';
import { rehypeFragments } from './fragments.ts';
import { rehypeGalleries } from './galleries.ts';
import { rehypeHeadings } from './headings.ts';
import { keptLines } from './kept-lines.ts';
import { markLanguages } from './language.ts';
import { rehypeLinkCards } from './link-cards.ts';
import { rehypeLinks } from './links.ts';
import { withoutMailAddresses } from './mail-addresses.ts';
import { addPrintedNames, rehypePlayers } from './players.ts';
import { rehypeRawHtml } from './raw-html.ts';
import { readableMarkdown } from './readable.ts';
import { schema } from './schema.ts';
import { boundShaping } from './shaping.ts';
import { plainText } from './text.ts';

// The steps before the sanitiser decide what is shown; none of them is trusted.
const processorOf = (keepsLines: boolean, hasMailAddresses: boolean) =>
  unified()
    .use(remarkParse)
    .use(remarkGfm)
    .use(hasMailAddresses ? [] : [withoutMailAddresses])
    // Makes `**注意：**正文` bold, although for CommonMark the colon is not the end of a word.
    .use(remarkCjkFriendly)
    .use(remarkCjkFriendlyGfmStrikethrough)
    // A dot cannot occur in a heading's slug, so a heading cannot take a footnote's id.
    .use(remarkRehype, {
      allowDangerousHtml: true,
      clobberPrefix: '.',
      ...(keepsLines && { handlers: keptLines }),
    })
    .use(rehypeRawHtml)
    .use(rehypeLinks)
    .use(rehypePlayers)
    .use(rehypeCameraNames)
    .use(rehypeLinkCards)
    .use(rehypeGalleries)
    .use(rehypeSlug)
    .use(rehypeHeadings)
    .use(rehypeBlocks)
    .use(rehypeFragments)
    .use(rehypeSanitize, schema)
    .use(rehypeStringify)
    .freeze();

const processors = {
  essay: { plain: processorOf(false, false), withMailAddresses: processorOf(false, true) },
  short: { plain: processorOf(true, false), withMailAddresses: processorOf(true, true) },
};

export type RenderOptions = {
  /**
   * A prefix of every id and of links to them, for pages that show several texts: letters, digits, `-` and
   * `_`.
   */
  idPrefix?: string;
  /** Whether line breaks of a paragraph are kept, as in short posts (decision 44). */
  keepsLines?: boolean;
  /** The most visible characters, of a short post; a longer one is refused. */
  mostCharacters?: number | undefined;
  /** The person who waits for it, as an id: the texts of several people take turns (render-text.ts). */
  by?: string | undefined;
  /** Whether a worker renders even a short text, because its caller has other work meanwhile. */
  isAside?: boolean | undefined;
};

/** A text, rendered for readers. */
export type Rendered = {
  /** Safe to insert into a page. */
  html: string;
  /** The plain text of the HTML, for search, excerpts and descriptions; its white space is collapsed. */
  text: string;
  /** The Markdown without invisible parts (readable.ts). */
  readable: string;
};

/**
 * Renders Markdown (CommonMark and GFM, decision 30). Deliberate differences from the two specifications:
 * docs/decisions/markdown-differences.md. Contrived texts take long: the server renders people's texts with
 * `renderText`.
 *
 * @throws AppError invalid-argument for a text that is too long or too deeply nested, with a sentence for its
 * author.
 */
export function renderMarkdown(markdown: string, options: RenderOptions = {}): Rendered {
  const { idPrefix = '', keepsLines = false, mostCharacters } = options;
  const processor =
    processors[keepsLines ? 'short' : 'essay'][markdown.includes('@') ? 'withMailAddresses' : 'plain'];
  if (!/^[\w-]*$/.test(idPrefix))
    throw new TypeError(`idPrefix ${idPrefix} has characters that an id may not have`);
  refuseTooLong(markdown);
  if (mostCharacters !== undefined && countShortPost(markdown, mostCharacters) > mostCharacters) {
    const content = `A short post has at most ${mostCharacters} characters.`;
    throw new AppError('invalid-argument', content, { fields: { content } });
  }
  const file = new VFile({ value: markdown, data: { idPrefix } });
  return withoutOverflow(() => {
    const written: Root = processor.parse(file);
    refuseTooDeep(written);
    refuseFilledTables(written);
    const tree: HtmlRoot = processor.runSync(written, file);
    const readable = readableMarkdown(written, tree, file);
    const text = plainText(tree);
    addPrintedNames(tree);
    markLanguages(tree, text);
    const plain = processor.stringify(tree).trim();
    if (isTooLarge(plain, markdown)) throw tooComplex();
    // After the sanitiser, because highlighting only wraps text in spans with class names of its own. It is
    // left out if it alone would make the HTML too large.
    const coloured = highlightCode(tree) ? processor.stringify(tree).trim() : plain;
    const html = isTooLarge(coloured, markdown) ? plain : coloured;
    // References to characters are read by now.
    return { html: boundShaping(html), text: cutMarks(text), readable: cutMarks(readable) };
  });
}
