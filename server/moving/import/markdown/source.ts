import { realpath } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { AppError } from '../../../../contract/errors.ts';
import type { DraftItem, DraftPost, Source } from '../draft.ts';
import { type FileTree, openFileTree } from '../media/tree.ts';
import { orRefused } from '../refused.ts';
import { linkedSource } from './addresses.ts';
import { readExported } from './exported.ts';
import { readInherited } from './inherited.ts';
import { findLocalFile, isLocal } from './local-files.ts';
import type { Fields } from './restrictions.ts';
import { readMarkdown } from './text.ts';
import { Vault } from './vault.ts';

/** Bytes: the longest possible post at three bytes per letter, with its front matter. */
const maxTextBytes = 4 * 1024 * 1024;

const isMarkdownFile = (path: string) => /\.(?:md|mdx|markdown)$/i.test(path);

/**
 * The Markdown files of a folder or of a zip archive, at any depth, each as a post. Throws not-found if there
 * is nothing at `place`, and invalid-argument for a file that is not a zip archive.
 */
export async function markdownSource(
  place: string,
  timeZone: string,
  { isUpload = false }: { isUpload?: boolean } = {},
): Promise<Source> {
  const tree = await openFileTree(place);
  let isObsidian = false;
  const paths = await tree.paths(name => {
    // Obsidian stores its settings in it.
    if (name === '.obsidian') isObsidian = true;
    return !name.startsWith('.') && name !== 'node_modules';
  });
  const sources = paths.filter(isMarkdownFile);
  const inherited = await readInherited(tree, paths);
  const files: Files = { tree, sources: new Set(sources), vault: new Vault(paths, isObsidian), inherited };
  return {
    name: '',
    unsure: {
      kind: 'markdown',
      place: isUpload ? undefined : await realpath(place),
      ids: sources,
      posts: ids => readFiles(files, timeZone, ids),
    },
    total: sources.length,
    items: () => readFiles(files, timeZone),
    leftBehind: [],
    close: () => tree.close(),
  };
}

/** The files that texts of a folder refer to. */
type Files = {
  tree: FileTree;
  sources: ReadonlySet<string>;
  vault: Vault;
  /** The site generator's defaults for the folder of a file. */
  inherited(path: string): Fields;
};

/** The group of a vault's notes: they do not say whom their owner shows them (decision 32). */
const vaultReaders = 'vault';

/** The items of these files, which may be only some of those that texts link to. */
async function* readFiles(
  files: Files,
  timeZone: string,
  wanted: ReadonlySet<string> = files.sources,
): AsyncGenerator<DraftItem> {
  for (const source of wanted) {
    yield await orRefused(source, () => readDraft(files, source, timeZone));
  }
}

async function readDraft(
  { tree, sources, vault, inherited }: Files,
  source: string,
  timeZone: string,
): Promise<DraftPost> {
  const found = await tree.find(source);
  if (found === undefined) throw new AppError('not-found', 'it is no longer there');
  if (found.size > maxTextBytes) throw new AppError('invalid-argument', 'it is too long for a post');
  const { text, notes } = decode(await buffer(found.read()));
  const exported = readExported(tree, source, text);
  if (exported !== undefined) return exported;
  const file = readMarkdown(source, text, timeZone, vault, inherited(source));
  return {
    kind: 'post',
    id: source,
    title: file.title,
    fallbackTitle: file.fallbackTitle,
    description: file.description,
    content: file.content,
    sourceWords: file.sourceWords,
    isDraft: file.isDraft,
    shown: file.shown,
    date: file.date,
    fallbackDate: found.modifiedAt,
    tags: file.tags,
    audience: vault.isObsidian && !file.isPublished ? [vaultReaders] : [],
    author: file.author,
    comments: [],
    likes: [],
    isOwnAddress: isLocal,
    findFile: (address, isLink) => findLocalFile({ tree, source }, address, isLink),
    findPost: address => (isLocal(address) ? linkedSource(address, source, sources) : undefined),
    addresses: file.addresses,
    notes: [...notes, ...file.notes],
  };
}

/**
 * UTF-8, like nearly every file; otherwise UTF-16 if it looks so, or the old Windows encoding, which accepts
 * any bytes.
 */
function decode(bytes: Uint8Array): { text: string; notes: string[] } {
  const utf16 = utf16Of(bytes);
  if (utf16 !== undefined) return { text: new TextDecoder(utf16).decode(bytes), notes: [] };
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), notes: [] };
  } catch {
    const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
    return {
      text: new TextDecoder('windows-1252').decode(hasMark ? bytes.subarray(3) : bytes),
      notes: ['it is not UTF-8 and was read as Windows-1252'],
    };
  }
}

/** Recognised by the byte order mark or by the zeros in its first letters: front matter begins with ASCII. */
function utf16Of([first, second, third, fourth]: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if ((first === 0xff && second === 0xfe) || (second === 0 && fourth === 0)) return 'utf-16le';
  if ((first === 0xfe && second === 0xff) || (first === 0 && third === 0)) return 'utf-16be';
  return undefined;
}
