import { basename, dirname, posix } from 'node:path';
import { composed } from '../composed.ts';
import { decoded } from '../decoded.ts';

/**
 * A day in a path: `/2019/03/12/a-walk/`, `/2019-03-12-a-walk`, or a month, which counts as its first day.
 */
const dayIn = /(?:^|[/_-])((?:19|20)\d{2})[/_-](0[1-9]|1[0-2])(?:[/_-](0[1-9]|[12]\d|3[01]))?(?![\d])/;

/** The day in a path, in the form of front matter. */
export function dayOf(path: string): string | undefined {
  const [, year, month, day = '01'] = dayIn.exec(path) ?? [];
  return year === undefined ? undefined : `${year}-${month}-${day}`;
}

/**
 * The addresses at which a site generator published a file: those in its front matter, its aliases, and the
 * defaults of Jekyll and Hugo. `written` may hold their patterns (`/:year/:title/`), which are ignored.
 */
export function publishedAt(source: string, written: readonly string[]): string[] {
  return [...new Set([...written.flatMap(address => saidAddresses(source, address)), ...byFolder(source)])];
}

/** A pattern, a title, a named style of Jekyll, or a boolean rather than an address. */
const noAddress = /(?:^|\/):\w|\{[{%]|\s|^(?:true|false|none|date|pretty|ordinal|weekdate)$/i;
/** Another site's address without its scheme: `example.com/a`. */
const foreign = /^[^/]+\.[a-z]{2,}\/|^[a-z][a-z\d+.-]*:/i;

/**
 * Without a leading slash, an address is relative to the site's root for Zola and Eleventy, and to the page's
 * folder for Hugo.
 */
function saidAddresses(source: string, address: string): string[] {
  if (noAddress.test(address)) return [];
  if (/^(?:\/|https?:\/\/)/.test(address)) return [address];
  const isPath = !foreign.test(address) && !address.split('/').includes('..') && !/^[#?]/.test(address);
  if (!isPath) return [];
  const [, within] = /(?:^|\/)content\/(.+)$/.exec(source) ?? [];
  const folder = within === undefined ? '.' : folderOf(within);
  return [...new Set([posix.join('/', address), posix.join('/', folder, address)])];
}

/** The folder of a page in `content`; for a page bundle, its parent. */
const folderOf = (within: string) => {
  const folder = dirname(within);
  return /^index\.[^.]+$/.test(basename(within)) ? dirname(folder) : folder;
};

function byFolder(source: string): string[] {
  const stem = basename(source).replace(/\.[^.]+$/, '');
  const [, day, slug] = /^(\d{4}-\d{2}-\d{2})-(.+)$/.exec(stem) ?? [];
  if (/(?:^|\/)_posts\//.test(source) && day !== undefined)
    return [`/${day.replaceAll('-', '/')}/${slug}.html`];
  const [, within] = /(?:^|\/)content\/(.+)$/.exec(source) ?? [];
  if (within === undefined) return [];
  const folder = dirname(within);
  return [posix.join('/', /^_?index$/.test(stem) ? folder : posix.join(folder, stem), '/')];
}

/**
 * The file of the same folder that a link refers to: with or without its extension, or the text of a folder.
 */
export function linkedSource(
  address: string,
  source: string,
  sources: ReadonlySet<string>,
): string | undefined {
  const path = composed(decoded(address.replace(/[?#].*$/s, '')));
  if (path === '') return undefined;
  const from = path.startsWith('/') ? path.slice(1) : posix.join(posix.dirname(source), path);
  const plain = posix.normalize(from).replace(/\/$/, '');
  const candidates = [plain, `${plain}.md`, `${plain}/index.md`, `content/${plain}`, `content/${plain}.md`];
  return candidates.find(candidate => sources.has(candidate));
}
