import { basename, dirname } from 'node:path/posix';
import type { Heading } from 'mdast';
import { toString as wordsOf } from 'mdast-util-to-string';
import { oneLine } from '../../../../contract/text.ts';
import { readWrittenDate } from '../../../base/written-date.ts';
import { inBounds, withoutOverflow } from '../../../markdown/bounds.ts';
import { parseMarkdown } from '../references.ts';
import { titleOfName } from '../words.ts';
import { dayOf, publishedAt } from './addresses.ts';
import { type PostFields, readFields, splitFrontMatter } from './front-matter.ts';
import { withoutShortcodes } from './generators.ts';
import { withoutModuleSyntax } from './mdx.ts';
import type { Fields } from './restrictions.ts';
import { wordsOfMarkdown } from './source-words.ts';
import { Vault, withoutWikiSigns } from './vault.ts';

export type MarkdownText = PostFields & {
  /** For an essay without a title: the words of the file's name. */
  fallbackTitle: string;
  /** Markdown without front matter, and without the heading that is the title. */
  content: string;
  /** See `sourceWords` of `DraftPost`. */
  sourceWords(): string | undefined;
};

/**
 * Reads a file by its path within the imported folder and its text; `inherited` are the defaults for its
 * folder. Throws invalid-argument with a reason for the report if it cannot be read.
 */
export function readMarkdown(
  source: string,
  text: string,
  timeZone: string,
  vault = new Vault([], false),
  inherited?: Fields,
): MarkdownText {
  const plainText = text.replaceAll(/\r\n?/g, '\n').replaceAll('\0', '\uFFFD').toWellFormed();
  const frontMatter = inBounds(text, () => splitFrontMatter(plainText));
  const fields = readFields(frontMatter, timeZone, inherited);
  const isMdx = /\.mdx$/i.test(source);
  const { written, notes } = inBounds(text, () => {
    const plain = withoutShortcodes(isMdx ? withoutModuleSyntax(frontMatter.content) : frontMatter.content);
    return { written: withoutWikiSigns(plain.content, vault).trim(), notes: plain.notes };
  });
  const name = nameOf(source);
  // On some blogs only the address of a page has the date.
  const day = [...fields.addresses, source].map(dayOf).find(found => found !== undefined);

  const { heading, content } = takeTitle(written, fields.title);
  const date =
    fields.date ?? name.date ?? (day === undefined ? undefined : readWrittenDate(`${day}T12:00`, 'UTC'));
  return {
    ...fields,
    title: fields.title ?? heading,
    fallbackTitle: name.words,
    date,
    shown: { ...fields.shown, from: fields.shown.from ?? date },
    // The folders of static site generators for unpublished texts.
    isDraft: fields.isDraft || source.split('/').slice(0, -1).includes('_drafts'),
    content,
    sourceWords: () =>
      wordsOfMarkdown({
        content: frontMatter.content,
        hasTitle: heading !== undefined,
        isMdx,
        isObsidian: vault.isObsidian,
      }),
    // The aliases of a vault are other names of a note, not addresses.
    addresses: publishedAt(source, vault.isObsidian ? fields.addresses.filter(isWhole) : fields.addresses),
    notes: [...fields.notes, ...notes],
  };
}

const isWhole = (address: string) => /^(?:\/|https?:)/.test(address);

/** A heading on the first line, without references to what follows: it is parsed alone. */
const firstHeading = /^#[ \t][^\n[\]<]*(?=\n|$)/;

/** The first top-level heading, if it is the title or begins with it; and the content without it. */
export function takeTitle(content: string, title: string | undefined): { heading?: string; content: string } {
  // Parsing takes time, and few files with a title repeat it.
  if (title !== undefined && !/^(?:#\s|[^\n]+\n=+[ \t]*(?:\n|$))/.test(content)) return { content };
  const { children } = parseMarkdown(firstHeading.exec(content)?.[0] ?? content);
  const heading = children.find((node): node is Heading => node.type === 'heading' && node.depth === 1);
  const text = heading && oneLine(withoutOverflow(() => wordsOf(heading)));
  if (heading?.position === undefined || !text) return { content };
  if (title !== undefined && (children[0] !== heading || text.toLowerCase() !== title.toLowerCase())) {
    return { content };
  }
  const { start, end } = heading.position;
  const parts = [content.slice(0, start.offset).trimEnd(), content.slice(end.offset).replace(/^\s*\n/, '')];
  const rest = parts.filter(part => part.trim() !== '').join('\n\n');
  // A post is more than its title: a post of nothing else keeps it as its content.
  return { heading: text, content: rest === '' ? content : rest };
}

/** The title and the date in a file's name (`2020-05-17-a-walk.md`). */
function nameOf(source: string): { words: string; date: number | undefined } {
  const stem = basename(source).replace(/\.[^.]+$/, '');
  const name = /^(?:index|readme|_index)$/i.test(stem)
    ? basename(dirname(source)).replace(/^\.$/, stem)
    : stem;
  const [, day, rest] = /^(\d{4}-\d{2}-\d{2})[-_ ]?(.*)$/s.exec(name) ?? [];
  const time = day === undefined ? Number.NaN : Date.parse(`${day}T12:00:00Z`);
  return {
    words: titleOfName(rest || name),
    date: Number.isNaN(time) ? undefined : time,
  };
}
