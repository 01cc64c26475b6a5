import type { Root } from 'hast';
import rehypeSanitize from 'rehype-sanitize';
import rehypeSlug from 'rehype-slug';
import rehypeStringify from 'rehype-stringify';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import remarkRehype from 'remark-rehype';
import { unified } from 'unified';
import { VFile } from 'vfile';
import { AppError } from '../../contract/errors.ts';
import { rehypeBlocks } from './blocks.ts';
import { highlightCode } from './code.ts';
import { rehypeFragments } from './fragments.ts';
import { refuseCostly } from './guard.ts';
import { rehypeHeadings } from './headings.ts';
import { rehypeLinks } from './links.ts';
import { rehypeRawHtml } from './raw-html.ts';
import { schema } from './schema.ts';
import { rehypeText } from './text.ts';
import { runWithin } from './time-limit.ts';
import { rehypeVideo } from './video.ts';

// The steps before the sanitiser decide what is shown, and none of them is trusted.
const processor = unified()
  .use(remarkParse)
  .use(remarkGfm)
  // A dot cannot occur in a heading's slug, so a heading cannot take a footnote's id.
  .use(remarkRehype, { allowDangerousHtml: true, clobberPrefix: '.' })
  .use(rehypeRawHtml)
  .use(rehypeLinks)
  .use(rehypeVideo)
  .use(rehypeSlug)
  .use(rehypeHeadings)
  .use(rehypeBlocks)
  .use(rehypeFragments)
  .use(rehypeSanitize, schema)
  .use(rehypeText)
  .use(rehypeStringify)
  .freeze();

/** Milliseconds for any text, and for each of its characters: far above what guard.ts lets through. */
const freeTime = 2_000;
const timePerCharacter = 0.02;

export type RenderOptions = {
  /** Put before every id and every link to one, for pages that show several texts: letters, digits, `-` and `_`. */
  idPrefix?: string;
};

/**
 * Renders Markdown (CommonMark and GFM, decisions.md 30) to HTML that is safe to put into a page, and to the plain text
 * of it for search, excerpts and descriptions, its white space collapsed. Deliberate differences from the two
 * specifications: docs/decisions/markdown-differences.md.
 *
 * @throws AppError invalid-argument when the text would take too long to render, with a sentence for its author.
 */
export function renderMarkdown(
  markdown: string,
  options: RenderOptions = {},
): { html: string; text: string } {
  const { idPrefix = '' } = options;
  if (!/^[\w-]*$/.test(idPrefix))
    throw new TypeError(`idPrefix ${idPrefix} has characters that an id may not have`);
  refuseCostly(markdown);
  const file = new VFile({ value: markdown, data: { idPrefix } });
  const done = runWithin(freeTime + timePerCharacter * markdown.length, () => sanitisedTree(file));
  if (done === undefined) throw tooComplex();
  const tree = done.value;
  // After the sanitiser, because highlighting only wraps text in spans with class names of its own.
  highlightCode(tree);
  return { html: processor.stringify(tree).trim(), text: file.data.text ?? '' };
}

function sanitisedTree(file: VFile): Root {
  try {
    return processor.runSync(processor.parse(file), file);
  } catch (error) {
    // The parser recurses into nested content; guard.ts bounds the depth, this is for what it did not foresee.
    if (error instanceof RangeError) throw tooComplex();
    throw error;
  }
}

function tooComplex(): AppError {
  return new AppError(
    'invalid-argument',
    'This text is too complicated to be rendered. Simplify it or split it into several posts.',
  );
}
