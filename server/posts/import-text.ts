import { basename, dirname } from 'node:path/posix';
import type { Heading, Nodes, Root } from 'mdast';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import { unified } from 'unified';
import {
  descriptionMaxCharacters,
  shortPostMaxCharacters,
  tagsPerPost,
  titleMaxCharacters,
} from '../../contract/constants.ts';
import type { PostInput } from '../../contract/posts.ts';
import { tagKey } from '../../contract/tag-name.ts';
import { TagName } from '../../contract/tags.ts';
import { countCharacters, cutAtWord } from '../../contract/text.ts';
import { refuseCostly } from '../markdown/guard.ts';
import { type PostFields, readFields, splitFrontMatter } from './front-matter.ts';

const parser = unified().use(remarkParse).use(remarkGfm).freeze();
/** Enough of a text to tell what it is about. */
const madeDescriptionCharacters = 200;

/** A file of an import, understood: what becomes of it depends on its rendered text and its images only. */
export type ImportedText = Omit<PostFields, 'title' | 'description'> & {
  /** Undefined for a short post. */
  title: string | undefined;
  description: string | undefined;
  /** Markdown without front matter, and without the heading that is the title. */
  content: string;
};

/**
 * Reads a file by its path within the imported folder and its text. Throws invalid-argument for one that cannot be
 * read, with a reason for the report.
 */
export function readImportedText(source: string, text: string, timeZone: string): ImportedText {
  const frontMatter = splitFrontMatter(
    text.replaceAll(/\r\n?/g, '\n').replaceAll('\0', '\uFFFD').toWellFormed(),
  );
  const fields = readFields(frontMatter, timeZone);
  const isMdx = /\.mdx$/i.test(source);
  const written = (isMdx ? withoutModuleSyntax(frontMatter.content) : frontMatter.content).trim();
  const name = nameOf(source);

  const { heading, content } = takeTitle(written, fields.title);
  const title = fields.title ?? heading;
  const isShort = title === undefined && countCharacters(content) <= shortPostMaxCharacters;
  return {
    ...fields,
    title: isShort ? undefined : (title ?? name.words),
    date: fields.date ?? name.date,
    // Where the static site generators keep what they do not publish.
    isDraft: fields.isDraft || source.split('/').slice(0, -1).includes('_drafts'),
    content,
  };
}

/** What an author would have typed into the editor, within its limits; `notes` says what had to be changed for that. */
export function postInputOf(
  file: ImportedText,
  content: string,
  renderedText: string,
): { input: PostInput; notes: string[] } {
  const notes: string[] = [];
  const within = (what: string, text: string, max: number) => {
    if (text.length > max) notes.push(`its ${what} was cut to ${max} characters`);
    return cutAtWord(text, max);
  };
  const tags = tagsOf(file.tags, notes);
  if (file.title === undefined)
    return { input: { type: 'short', content, tags, isDraft: file.isDraft }, notes };
  const title = within('title', file.title, titleMaxCharacters);
  const described = file.description && within('description', file.description, descriptionMaxCharacters);
  const description = described || cutAtWord(renderedText, madeDescriptionCharacters) || title;
  return { input: { type: 'essay', title, description, content, tags, isDraft: file.isDraft }, notes };
}

/** Every tag is kept, cut to fit if need be: dropping one could open a post to more readers (decisions.md 5). */
function tagsOf(written: readonly string[], notes: string[]): string[] {
  const names = new Map<string, string>();
  for (const text of written) {
    const visible = text
      .replaceAll(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/gu, '')
      .normalize('NFC')
      .trim();
    const name = TagName.safeParse(visible.slice(0, 50).toWellFormed().replaceAll('\uFFFD', ''));
    if (!name.success) notes.push('a tag without visible characters was left out');
    else {
      if (visible.length > 50) notes.push(`the tag "${name.data}" was cut`);
      names.set(tagKey(name.data), name.data);
    }
  }
  if (names.size > tagsPerPost)
    notes.push(`only the first ${tagsPerPost} of its ${names.size} tags were kept`);
  return [...names.values()].slice(0, tagsPerPost);
}

/** Throws invalid-argument for a text that would take too long: the parser is quadratic for some. */
export function parseMarkdown(content: string): Root {
  refuseCostly(content);
  return parser.parse(content);
}

/** The first heading of the first level, where it is the title or repeats it at the start; and the content without it. */
function takeTitle(content: string, title: string | undefined): { heading?: string; content: string } {
  // Parsing takes its time, and few files that name their title repeat it.
  if (title !== undefined && !/^(?:#\s|[^\n]+\n=+[ \t]*(?:\n|$))/.test(content)) return { content };
  const { children } = parseMarkdown(content);
  const heading = children.find((node): node is Heading => node.type === 'heading' && node.depth === 1);
  const text = heading && spoken(heading).trim().replaceAll(/\s+/gu, ' ');
  if (heading?.position === undefined || !text) return { content };
  if (title !== undefined && (children[0] !== heading || text.toLowerCase() !== title.toLowerCase())) {
    return { content };
  }
  const { start, end } = heading.position;
  const parts = [content.slice(0, start.offset).trimEnd(), content.slice(end.offset).replace(/^\s*\n/, '')];
  const rest = parts.filter(part => part.trim() !== '').join('\n\n');
  // A post is more than its title: one that is nothing else keeps it as its content.
  return { heading: text, content: rest === '' ? content : rest };
}

function spoken(node: Nodes): string {
  if ('children' in node) return node.children.map(spoken).join('');
  if (node.type === 'image') return node.alt ?? '';
  return 'value' in node ? node.value : '';
}

/** What a file's name tells: words for a title, and a day where it starts with one (`2020-05-17-a-walk.md`). */
function nameOf(source: string): { words: string; date: number | undefined } {
  const stem = basename(source).replace(/\.[^.]+$/, '');
  const name = /^(?:index|readme|_index)$/i.test(stem)
    ? basename(dirname(source)).replace(/^\.$/, stem)
    : stem;
  const [, day, rest] = /^(\d{4}-\d{2}-\d{2})[-_ ]?(.*)$/s.exec(name) ?? [];
  const time = day === undefined ? Number.NaN : Date.parse(`${day}T12:00:00Z`);
  const words = (rest || name).replaceAll(/[-_\s]+/gu, ' ').trim() || 'Untitled';
  return {
    words: words.charAt(0).toUpperCase() + words.slice(1),
    date: Number.isNaN(time) ? undefined : time,
  };
}

/** A component's tag alone on a line: what it holds is Markdown to MDX, but would be HTML to us. */
const componentTag = /^\s*<\/?[A-Z][\w.]*(?:\s[^<>]*)?>\s*$/;

/** MDX without what only its compiler understands: imports, exports, comments and components, outside of code. */
function withoutModuleSyntax(content: string): string {
  const kept: string[] = [];
  let fence: string | undefined;
  let isModule = false;
  let isComment = false;
  let before = '';
  for (const line of content.split('\n')) {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence === undefined && mark !== undefined) fence = mark;
    else if (fence !== undefined && mark?.startsWith(fence) && line.trim() === mark) fence = undefined;
    else if (fence === undefined) {
      if (line.trim() === '') isModule = false;
      else if (before.trim() === '' && /^(?:import|export)\b/.test(line)) isModule = true;
      if (/^\s*\{\/\*/.test(line)) isComment = true;
    }
    if (!isModule && !isComment) kept.push(fence === undefined && componentTag.test(line) ? '' : line);
    if (isComment && line.includes('*/}')) isComment = false;
    before = isModule && line.trim() !== '' ? '' : line;
  }
  return kept.join('\n');
}
