import { parse as parseToml } from 'smol-toml';
import { parseDocument } from 'yaml';
import { AppError } from '../../../contract/errors.ts';
import { oneLine } from '../../../contract/text.ts';
import { readWrittenDate } from '../../written-date.ts';
import type { DraftAuthor } from '../draft.ts';
import { betweenCommas } from '../words.ts';

/** What a file says about itself before its text. Names are lower case, without `-` and `_`. */
export type FrontMatter = { fields: ReadonlyMap<string, unknown>; content: string };

type Block = { inner: string; content: string };

/**
 * Takes the front matter off a text: YAML between `---`, TOML between `+++`, JSON between `;;;` or as an object at the
 * very start. As Hugo does, it passes over blank lines before it, and finds it within an HTML comment. A text without any is all
 * content. Throws invalid-argument for front matter that cannot be read: taking it for content could publish what it calls a draft.
 */
export function splitFrontMatter(text: string): FrontMatter {
  const start = text.trimStart();
  const [comment = ''] = /^<!--[^\n]*\n\s*/.exec(start) ?? [];
  const found = frontMatterOf(start.slice(comment.length));
  if (found === undefined) return { fields: new Map(), content: text };
  const isOpen = comment !== '' && !comment.includes('-->');
  return isOpen ? { ...found, content: found.content.replace(/^[\s\S]*?-->/, '') } : found;
}

function frontMatterOf(text: string): FrontMatter | undefined {
  const yaml = fenced(text, /^---[ \t]*(?:ya?ml)?[ \t]*$/, /^(?:---|\.\.\.)[ \t]*$/gm);
  if (yaml) return made(yaml, readYaml);
  const toml = fenced(text, /^(?:\+\+\+|---[ \t]*toml)[ \t]*$/, /^(?:\+\+\+|---)[ \t]*$/gm);
  if (toml) return made(toml, parseToml);
  const json = fenced(text, /^(?:;;;|---[ \t]*json)[ \t]*$/, /^(?:;;;|---)[ \t]*$/gm) ?? leadingObject(text);
  return json && made(json, readJson);
}

function made({ inner, content }: Block, read: (text: string) => unknown): FrontMatter | undefined {
  let value: unknown;
  try {
    value = read(inner);
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error);
    throw new AppError('invalid-argument', `its front matter cannot be read: ${reason}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    // Two rules with nothing between them, or a paragraph between two rules, is no front matter.
    return inner.trim() === '' ? { fields: new Map(), content } : undefined;
  }
  const fields = Object.entries(value).map(
    ([name, field]) => [name.toLowerCase().replaceAll(/[-_\s]/g, ''), field] as const,
  );
  // The first spelling wins: `date` before `Date`.
  return { fields: new Map(fields.reverse()), content };
}

function fenced(text: string, opening: RegExp, closing: RegExp): Block | undefined {
  const start = text.indexOf('\n') + 1;
  if (start === 0 || !opening.test(text.slice(0, start - 1))) return undefined;
  closing.lastIndex = start;
  const end = closing.exec(text);
  if (end === null) return undefined;
  return {
    inner: text.slice(start, end.index),
    content: text.slice(end.index + end[0].length).replace(/^\n/, ''),
  };
}

/** A JSON object at the start of a text, up to the brace that closes it. */
function leadingObject(text: string): Block | undefined {
  if (!/^\{\s*"/.test(text)) return undefined;
  let depth = 0;
  // A text without its second quotation mark goes to the end, so that it is not read again from each mark within.
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\[\s\S])*(?:"|$)|[{}]/g)) {
    if (token === '{') depth += 1;
    if (token === '}') depth -= 1;
    if (depth === 0)
      return { inner: text.slice(0, index + 1), content: text.slice(index + 1).replace(/^[ \t]*\n/, '') };
  }
  return undefined;
}

function readYaml(text: string): unknown {
  // Without types: a title of 1.10 or 007 stays as it was written, and dates are read in one place.
  const document = parseDocument(text, { schema: 'failsafe', uniqueKeys: false, logLevel: 'silent' });
  if (document.errors[0] !== undefined) throw document.errors[0];
  return document.toJS({ maxAliasCount: 100 });
}

function readJson(text: string): unknown {
  return JSON.parse(text.trimStart().startsWith('{') ? text : `{${text}}`);
}

/** What we take from front matter. */
export type PostFields = {
  title: string | undefined;
  description: string | undefined;
  /** Milliseconds. */
  date: number | undefined;
  tags: string[];
  isDraft: boolean;
  /** From its latest date on, for which Hugo and Jekyll wait, until its date of expiry. Milliseconds. */
  shown: { from: number | undefined; until: number | undefined };
  /** The first, where there are several. */
  author: DraftAuthor | undefined;
  /** Where it was published, as it is written there; may be a pattern of the site generator. */
  addresses: string[];
  /** What could not be understood, for the report. */
  notes: string[];
};

const dateNames =
  'date published publishedat publishedon publishdate pubdate datepublished posted created createdat createdon'.split(
    ' ',
  );
const expiryNames = ['expirydate', 'unpublishdate'];
const tagNames = 'tags tag categories category keywords'.split(' ');
const addressNames = 'path permalink url aliases alias redirectfrom'.split(' ');

/** Reads the fields that a post can use; dates without a zone are of `timeZone`. */
export function readFields({ fields }: FrontMatter, timeZone: string): PostFields {
  const notes: string[] = [];
  const text = (...names: string[]) =>
    names.map(name => textOf(fields.get(name))).find(found => found !== undefined);

  const written = datesIn(fields, dateNames, timeZone);
  const dates = written.flatMap(({ time }) => time ?? []);
  if (written[0] !== undefined && dates.length === 0)
    notes.push(`the date "${written[0].text}" was not understood`);
  const ends = datesIn(fields, expiryNames, timeZone).flatMap(({ time }) => time ?? []);

  return {
    title: text('title'),
    description: text('description', 'excerpt', 'summary'),
    date: dates[0],
    tags: [...new Set(tagNames.flatMap(name => listOf(fields.get(name))))],
    isDraft: isHeldBack(fields),
    shown: { from: latest(dates), until: ends[0] },
    author: authorIn(fields.get('author')) ?? authorIn(fields.get('authors')),
    addresses: [...new Set(addressNames.flatMap(name => listOf(fields.get(name))))],
    notes,
  };
}

type Fields = FrontMatter['fields'];

/** What stands under these names, but for a yes or no, and the times that were understood. */
function datesIn(fields: Fields, names: readonly string[], timeZone: string) {
  return names.flatMap(name => {
    const text = textOf(fields.get(name));
    if (text === undefined || isWord(text)) return [];
    return { text, time: readWrittenDate(text, timeZone) };
  });
}

const latest = (times: readonly number[]) => (times.length === 0 ? undefined : Math.max(...times));

/** Whether the source keeps it from readers. Anything but a clear no is a draft: what is published by mistake cannot be taken back. */
function isHeldBack(fields: Fields): boolean {
  const said = (name: string) => textOf(fields.get(name));
  const isSaid = (name: string) => !isNo(said(name) ?? 'no');
  const isDenied = (name: string) => isNo(said(name) ?? '');
  const build = fields.get('build');
  const render =
    typeof build === 'object' && build !== null ? textOf(Reflect.get(build, 'render')) : undefined;
  return (
    // Hexo asks readers for the password; Hugo makes no page of what is headless.
    ['draft', 'private', 'headless', 'password'].some(isSaid) ||
    // Obsidian publishes no note of which `publish` is false; Eleventy writes no page without an address.
    ['published', 'publish', 'permalink'].some(isDenied) ||
    /^(?:draft|private|unpublished|scheduled|pending|hidden)$/i.test(said('status') ?? '') ||
    (render !== undefined && !/^(?:always|true)$/i.test(render))
  );
}

/** `Mina Harker`, `Mina Harker <mina@example.com>`, an object with `name` and `email`, or a list of these. */
export function authorIn(value: unknown): DraftAuthor | undefined {
  if (Array.isArray(value)) return value.map(authorIn).find(author => author !== undefined);
  if (typeof value === 'object' && value !== null) {
    const field = (name: string) =>
      Object.hasOwn(value, name) ? textOf(Reflect.get(value, name)) : undefined;
    const email = field('email');
    const name = field('name') ?? email;
    return name === undefined ? undefined : { names: [name], email };
  }
  const text = textOf(value);
  if (text === undefined) return undefined;
  const [, name = '', email] = /^([^<>]*)<([^<>\s]+@[^<>\s]+)>$/.exec(text) ?? [];
  return email === undefined ? { names: [text] } : { names: [name.trim() || email], email };
}

const isNo = (text: string) => /^(?:false|no|off|0)$/i.test(text);
const isWord = (text: string) => isNo(text) || /^(?:true|yes|on|1)$/i.test(text);

/** A single value as one line of text; undefined where there is none. */
function textOf(value: unknown): string | undefined {
  // TOML's dates keep how they were written: without a zone they have none.
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? undefined : value.toISOString();
  if (!['string', 'number', 'boolean', 'bigint'].includes(typeof value)) return undefined;
  const text = oneLine(String(value));
  return text === '' || text === '~' || text === 'null' ? undefined : text;
}

/** A list, a list of lists, or one text with commas. */
function listOf(value: unknown): string[] {
  if (Array.isArray(value))
    return value.flatMap(item => (typeof item === 'string' ? (textOf(item) ?? []) : listOf(item)));
  return betweenCommas(textOf(value) ?? '');
}
