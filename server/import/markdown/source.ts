import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../../contract/errors.ts';
import type { DraftItem, DraftPost, Source } from '../draft.ts';
import { folderOf, markdownFilesIn } from './folder.ts';
import { findLocalFile, isLocal } from './local-files.ts';
import { readMarkdown } from './text.ts';

/** Bytes. Text of the longest post that can be, in an alphabet of three bytes a letter, with its front matter. */
const maxTextBytes = 4 * 1024 * 1024;

/** The Markdown files of a folder, at any depth, each as a post. Throws not-found when there is no folder. */
export async function markdownSource(folder: string, timeZone: string): Promise<Source> {
  const root = await folderOf(folder);
  const sources = await markdownFilesIn(root);
  return {
    name: '',
    total: sources.length,
    items: () => readFiles(root, sources, timeZone),
    leftBehind: [],
  };
}

async function* readFiles(
  root: string,
  sources: readonly string[],
  timeZone: string,
): AsyncGenerator<DraftItem> {
  for (const source of sources) {
    try {
      yield await readDraft(root, source, timeZone);
    } catch (error) {
      if (!(error instanceof AppError || isFileError(error))) throw error;
      yield { kind: 'refused', id: source, reason: error.message };
    }
  }
}

async function readDraft(root: string, source: string, timeZone: string): Promise<DraftPost> {
  const path = join(root, source);
  const { mtimeMs, size } = await stat(path);
  if (size > maxTextBytes) throw new AppError('invalid-argument', 'it is too long for a post');
  const { text, notes } = decode(await readFile(path));
  const file = readMarkdown(source, text, timeZone);
  return {
    kind: 'post',
    id: source,
    title: file.title,
    fallbackTitle: file.fallbackTitle,
    description: file.description,
    content: file.content,
    isDraft: file.isDraft,
    date: file.date,
    fallbackDate: Math.round(mtimeMs),
    tags: file.tags,
    audience: [],
    comments: [],
    likes: [],
    isOwnAddress: isLocal,
    findFile: (address, isLink) => findLocalFile({ root, source }, address, isLink),
    addresses: [],
    notes: [...notes, ...file.notes],
  };
}

/** UTF-8, as nearly every file is; else UTF-16 where it says so, else the old Windows alphabet, which takes any bytes. */
function decode(bytes: Uint8Array): { text: string; notes: string[] } {
  if (bytes[0] === 0xff && bytes[1] === 0xfe)
    return { text: new TextDecoder('utf-16le').decode(bytes), notes: [] };
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), notes: [] };
  } catch {
    return {
      text: new TextDecoder('windows-1252').decode(bytes),
      notes: ['it is not UTF-8 and was read as Windows-1252'],
    };
  }
}

function isFileError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'path' in error;
}
