import { basename, dirname } from 'node:path/posix';
import { buffer } from 'node:stream/consumers';
import { AppError } from '../../../../contract/errors.ts';
import { inBounds } from '../../../markdown/bounds.ts';
import type { FileTree } from '../media/tree.ts';
import { readFile, splitFrontMatter } from './front-matter.ts';
import { type Fields, fieldsOf } from './restrictions.ts';

const maxBytes = 1024 * 1024;

/** Default fields for every text in a folder. */
type Inherited = { folder: string; fields: Fields };

/**
 * Defaults that site generators set for whole folders: Hugo by `cascade` in `_index.md` and in its
 * configuration, Jekyll by `defaults` in `_config.yml`, Eleventy by a JSON file with the name of the folder.
 * A target narrower than the folder is ignored, so that too many texts become drafts rather than too few.
 */
export async function readInherited(
  tree: FileTree,
  paths: readonly string[],
): Promise<(path: string) => Fields> {
  const found: Inherited[] = [];
  for (const path of paths) {
    const read = readerFor(path);
    if (read === undefined) continue;
    const file = await tree.find(path);
    if (file === undefined || file.size > maxBytes) continue;
    found.push(...read(path, (await buffer(file.read())).toString('utf8')));
  }
  // The nearest folder wins.
  found.sort((a, b) => a.folder.length - b.folder.length);
  return path =>
    new Map(found.filter(({ folder }) => isWithin(path, folder)).flatMap(({ fields }) => [...fields]));
}

const isWithin = (path: string, folder: string) => folder === '' || path.startsWith(`${folder}/`);
const folderOf = (path: string) => dirname(path).replace(/^\.$/, '');

function readerFor(path: string): ((path: string, text: string) => Inherited[]) | undefined {
  const name = basename(path);
  if (/^_index\.(?:md|markdown)$/i.test(name)) return cascadeOfFolder;
  if (/^(?:hugo|config)\.(?:toml|ya?ml|json)$/i.test(name)) return cascadeOfSite;
  if (/^cascade\.(?:toml|ya?ml|json)$/i.test(name)) return cascadeFile;
  if (/^_config\.ya?ml$/i.test(name)) return jekyllDefaults;
  const folder = basename(dirname(path));
  return name === `${folder}.json` || name === `${folder}.11tydata.json` ? folderData : undefined;
}

function cascadeOfFolder(path: string, text: string): Inherited[] {
  try {
    const { fields } = inBounds(text, () => splitFrontMatter(text));
    return cascades(folderOf(path), fields.get('cascade'));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    // It may set anything for its folder.
    return text.includes('cascade') ? [{ folder: folderOf(path), fields: unreadable }] : [];
  }
}

const unreadable: Fields = new Map([['restriction', 'cascade cannot be read']]);

function cascadeOfSite(path: string, text: string): Inherited[] {
  return cascades(folderOfSite(path), fieldsOf(readFile(path, text)).get('cascade'));
}

const cascadeFile = (path: string, text: string) => cascades(folderOfSite(path), readFile(path, text));

/** Hugo's configuration is in the site's folder, or in its `config/_default`. */
const folderOfSite = (path: string) => folderOf(path).replace(/(?:^|\/)config\/[^/]+$/, '');

/** One map or a list of them; each may have its own target. */
function cascades(folder: string, value: unknown): Inherited[] {
  return [value].flat().flatMap(one => (isObject(one) ? [{ folder, fields: fieldsOf(one) }] : []));
}

function jekyllDefaults(path: string, text: string): Inherited[] {
  const site = folderOf(path);
  const defaults = [fieldsOf(readFile(path, text)).get('defaults')].flat();
  return defaults.flatMap(one => {
    const values = isObject(one) ? Reflect.get(one, 'values') : undefined;
    if (!isObject(one) || !isObject(values)) return [];
    const scope = Reflect.get(one, 'scope');
    const within = isObject(scope) ? String(Reflect.get(scope, 'path') ?? '') : '';
    // A pattern (`section/*/page`) counts as the folder before it.
    const plain = within.replace(/\*.*$/s, '').replaceAll(/^\/+|\/+$/g, '');
    return [{ folder: [site, plain].filter(part => part !== '').join('/'), fields: fieldsOf(values) }];
  });
}

const folderData = (path: string, text: string): Inherited[] => [
  { folder: folderOf(path), fields: fieldsOf(readFile(path, text)) },
];

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
