import { parse as parseToml } from 'smol-toml';
import { parseDocument } from 'yaml';
import { AppError } from '../../../../contract/errors.ts';
import { cutAtWord, oneLine } from '../../../../contract/text.ts';
import { readWrittenDate } from '../../../base/written-date.ts';
import type { DraftAuthor } from '../draft.ts';
import { betweenCommas } from '../words.ts';
import { type Fields, fieldsOf, isNo, isYes, restrictionIn } from './restrictions.ts';

/** The metadata of a file before its text. Names are in lower case, without `-` and `_`. */
export type FrontMatter = { fields: Fields; content: string };

type Block = { inner: string; content: string };

/**
 * Splits the front matter from a text: YAML between `---`, TOML between `+++`, JSON between `;;;` or as an
 * object at the very start. Like Hugo, it skips blank lines before it, and finds it within an HTML comment.
 * Throws invalid-argument for front matter that cannot be read: treating it as content could publish a draft.
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
  const yaml = fenced(text, /^---[ \t]*(?:ya?ml[ \t]*)?$/, /^(?:---|\.\.\.)[ \t]*$/gm);
  if (yaml) return made(yaml, readYaml);
  const toml = fenced(text, /^(?:\+\+\+|---[ \t]*toml)[ \t]*$/, /^(?:\+\+\+|---)[ \t]*$/gm);
  if (toml) return made(toml, parseToml);
  const json = fenced(text, /^(?:;;;|---[ \t]*json)[ \t]*$/, /^(?:;;;|---)[ \t]*$/gm) ?? leadingObject(text);
  return json ? made(json, readJson) : headOf(text);
}

/** Names with which the head of a Pelican or Nikola text begins. */
const headNames =
  /^(?:title|date|modified|status|state|slug|category|categories|tags|keywords|authors?|summary|description|visibility|access|private|draft|hidden|lang|template|url|save_as)$/i;
const headLines = /^(?:(?:\.\. )?[\w-]+:(?:[ \t][^\n]*)?\n|[ \t]{2,}\S[^\n]*\n)+/;

/**
 * Lines of names and values at the very start, without rules around them: Pelican's (`Status: draft`), and
 * Nikola's, with two dots before each.
 */
function headOf(text: string): FrontMatter | undefined {
  const [lines] = headLines.exec(text.endsWith('\n') ? text : `${text}\n`) ?? [];
  const [, first = ''] = /^(?:\.\. )?([\w-]+):/.exec(lines ?? '') ?? [];
  if (lines === undefined || !headNames.test(first)) return undefined;
  const entries = lines
    .replaceAll(/\n[ \t]+/g, ' ')
    .split('\n')
    .flatMap(line => {
      const [, name, value = ''] = /^(?:\.\. )?([\w-]+):\s*(.*)$/.exec(line) ?? [];
      return name === undefined ? [] : [[name, value.trim()] as const];
    });
  return { fields: fieldsOf(Object.fromEntries(entries.reverse())), content: text.slice(lines.length) };
}

/** A configuration file (TOML, YAML or JSON, by its name) as a map; an empty one if it cannot be read. */
export function readFile(path: string, text: string): object {
  const read = /\.toml$/i.test(path) ? parseToml : /\.json$/i.test(path) ? readJson : readYaml;
  try {
    const value = read(text.replace(/^\uFEFF/, ''));
    return typeof value === 'object' && value !== null ? value : {};
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return {};
  }
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
    // Two rules with nothing between them, or a paragraph between two rules, are not front matter.
    return inner.trim() === '' ? { fields: new Map(), content } : undefined;
  }
  return { fields: fieldsOf(value), content };
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

/** A JSON object at the start of a text, up to its closing brace. */
function leadingObject(text: string): Block | undefined {
  if (!/^\{\s*"/.test(text)) return undefined;
  let depth = 0;
  // A string without its closing quotation mark extends to the end, so that the rest is not scanned again
  // from each mark.
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\[\s\S])*(?:"|$)|[{}]/g)) {
    if (token === '{') depth += 1;
    if (token === '}') depth -= 1;
    if (depth === 0)
      return { inner: text.slice(0, index + 1), content: text.slice(index + 1).replace(/^[ \t]*\n/, '') };
  }
  return undefined;
}

function readYaml(text: string): unknown {
  // Without types: a title of 1.10 or 007 stays as it was written, and dates are parsed in one place.
  const document = parseDocument(text, { schema: 'failsafe', uniqueKeys: false, logLevel: 'silent' });
  if (document.errors[0] !== undefined) throw document.errors[0];
  return document.toJS({ maxAliasCount: 100 });
}

function readJson(text: string): unknown {
  return JSON.parse(text.trimStart().startsWith('{') ? text : `{${text}}`);
}

/** The used fields of front matter. */
export type PostFields = {
  title: string | undefined;
  description: string | undefined;
  /** Milliseconds. */
  date: number | undefined;
  tags: string[];
  isDraft: boolean;
  /** Whether it is explicitly published, as in Obsidian's notes. */
  isPublished: boolean;
  /** From its latest date on, which Hugo and Jekyll wait for, until its expiry. Milliseconds. */
  shown: { from: number | undefined; until: number | undefined };
  /** The first of several. */
  author: DraftAuthor | undefined;
  /** Its published addresses as written there; may be patterns of the site generator. */
  addresses: string[];
  /** Sentences for the report about what could not be understood. */
  notes: string[];
};

const publishingNames =
  'date published publishedat publishedon publishdate pubdate datepublished posted'.split(' ');
const createdNames = 'created createdat createdon'.split(' ');
const expiryNames = ['expirydate', 'unpublishdate'];
const tagNames = 'tags tag categories category keywords'.split(' ');
const addressNames = 'path permalink url aliases alias redirectfrom'.split(' ');
/** Fields with which authors mark a draft themselves, so that the report need not explain it. */
const plainDraft = /^(?:draft|isdraft): (?:true|yes)$|^(?:published|publish): (?:false|no)$|^status: draft$/i;

/**
 * Reads the fields that a post can use; dates without a zone are in `timeZone`. `inherited` are those that
 * its site sets for its folder; they only decide whether it is held back.
 */
export function readFields(
  { fields }: FrontMatter,
  timeZone: string,
  inherited: Fields = new Map(),
): PostFields {
  const text = (...names: string[]) =>
    names.map(name => textOf(fields.get(name))).find(found => found !== undefined);

  const all = new Map([...inherited, ...fields]);
  const published = datesIn(all, publishingNames, timeZone);
  const written = [...published, ...datesIn(all, createdNames, timeZone)];
  const dates = written.flatMap(({ time }) => time ?? []);
  const ends = datesIn(all, expiryNames, timeZone);
  // It may be in the future, or an end that has passed.
  const unread = [...(dates.length === 0 ? written : published), ...ends].find(
    ({ time }) => time === undefined,
  );
  const held = restrictionIn(all);
  const reasons = [
    ...(unread === undefined ? [] : [`the date “${unread.text}” was not understood`]),
    ...(held === undefined || plainDraft.test(held) ? [] : [`it says “${held}”`]),
  ];
  return {
    title: text('title'),
    description: text('description', 'excerpt', 'summary'),
    date: dates[0],
    tags: [...new Set(tagNames.flatMap(name => listOf(fields.get(name))))],
    isDraft: held !== undefined || unread !== undefined,
    isPublished: ['publish', 'published', 'dgpublish', 'public'].some(name =>
      isYes(textOf(all.get(name)) ?? ''),
    ),
    shown: { from: latest(dates), until: ends.flatMap(({ time }) => time ?? [])[0] },
    author: authorIn(fields.get('author')) ?? authorIn(fields.get('authors')),
    addresses: [...new Set(addressNames.flatMap(name => listOf(fields.get(name))))],
    notes: reasons.map(reason => `${reason}: it is a draft here`),
  };
}

/** The values of these fields, except booleans and the dates that were understood. */
function datesIn(fields: Fields, names: readonly string[], timeZone: string) {
  return names.flatMap(name =>
    [fields.get(name)].flat(3).flatMap(value => {
      const text = withoutBrackets(textOf(value) ?? '');
      if (text === '' || isNo(text) || isYes(text)) return [];
      return [{ text: cutAtWord(text, 60), time: readWrittenDate(text, timeZone) }];
    }),
  );
}

const latest = (times: readonly number[]) => (times.length === 0 ? undefined : Math.max(...times));

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
  const text = withoutBrackets(textOf(value) ?? '');
  if (text === '') return undefined;
  const [, name = '', email] = /^([^<>]*)<([^<>\s]+@[^<>\s]+)>$/.exec(text) ?? [];
  return email === undefined ? { names: [text] } : { names: [name.trim() || email], email };
}

/** The name in an Obsidian link (`[[People/Mina|she]]` is Mina), by which front matter refers to notes. */
const withoutBrackets = (text: string) =>
  text.replaceAll(/\[\[([^[\]|#]*)[^[\]]*\]\]/g, (_, name: string) => name.split('/').at(-1) ?? name).trim();

/** A single value as one line of text; undefined for none. */
function textOf(value: unknown): string | undefined {
  // TOML's dates keep their written form: without a zone they have none.
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? undefined : value.toISOString();
  if (!['string', 'number', 'boolean', 'bigint'].includes(typeof value)) return undefined;
  const text = oneLine(String(value));
  return text === '' || text === '~' || text === 'null' ? undefined : text;
}

/** A list, a list of lists, or a comma-separated text. */
function listOf(value: unknown): string[] {
  if (Array.isArray(value))
    return value.flatMap(item =>
      typeof item === 'string' ? withoutBrackets(textOf(item) ?? '') || [] : listOf(item),
    );
  return betweenCommas(withoutBrackets(textOf(value) ?? ''));
}
