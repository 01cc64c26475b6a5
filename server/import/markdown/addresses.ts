import { basename, dirname, posix } from 'node:path';
import { decoded } from '../decoded.ts';

/** A day in a path: `/2019/03/12/a-walk/`, `/2019-03-12-a-walk`, or a month, of which it is the first. */
const dayIn = /(?:^|[/_-])((?:19|20)\d{2})[/_-](0[1-9]|1[0-2])(?:[/_-](0[1-9]|[12]\d|3[01]))?(?![\d])/;

/** The day that a path tells, as it is written in front matter. */
export function dayOf(path: string): string | undefined {
  const [, year, month, day = '01'] = dayIn.exec(path) ?? [];
  return year === undefined ? undefined : `${year}-${month}-${day}`;
}

/**
 * Where a site generator published a file: where its front matter says, under its other names, and where Jekyll and Hugo put
 * it by default. `written` may hold patterns of theirs (`/:year/:title/`), which are ignored.
 */
export function publishedAt(source: string, written: readonly string[]): string[] {
  const said = written.filter(address => /^(?:\/|https?:\/\/)/.test(address) && !/\/:\w/.test(address));
  return [...said, ...byFolder(source)];
}

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

/** The file of the same folder that a link from one means: with or without its ending, or the text of a folder. */
export function linkedSource(
  address: string,
  source: string,
  sources: ReadonlySet<string>,
): string | undefined {
  const path = decoded(address.replace(/[?#].*$/s, ''));
  if (path === '') return undefined;
  const from = path.startsWith('/') ? path.slice(1) : posix.join(posix.dirname(source), path);
  const plain = posix.normalize(from).replace(/\/$/, '');
  const candidates = [plain, `${plain}.md`, `${plain}/index.md`, `content/${plain}`, `content/${plain}.md`];
  return candidates.find(candidate => sources.has(candidate));
}
