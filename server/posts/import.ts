import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../contract/errors.ts';
import { PostInput } from '../../contract/posts.ts';
import type { Config } from '../config.ts';
import { fileAddress } from '../files/address.ts';
import { digestOf, type FileWriting, removeUnusedFiles, storeFile } from '../files/write.ts';
import { createId } from '../id.ts';
import { folderOf, markdownFilesIn } from './import-folder.ts';
import { findLocalImages, type LocalImage, withAddresses } from './import-images.ts';
import { type ImportedText, postInputOf, readImportedText } from './import-text.ts';
import { EditedMeanwhile, filesOf, saveImported } from './import-write.ts';
import { findSavedPost, type PostWords, renderContent, wordsOf } from './save.ts';

export type Importing = FileWriting & { config: Pick<Config, 'timeZone' | 'maxFileBytes'> };

type ImportOptions = { folder: string; authorId: string | null; isDryRun?: boolean };

/** What became of a file. `skipped` says why; `kept` was edited in Coterie since, and stays as it is there. */
export type ImportedFile = {
  source: string;
  outcome: 'created' | 'updated' | 'unchanged' | 'kept' | 'skipped';
  reason?: string;
  notes: string[];
};

/** Bytes. Text of the longest post that can be, in an alphabet of three bytes a letter, with its front matter. */
const maxFileBytes = 4 * 1024 * 1024;

/**
 * Takes every Markdown file of a folder as a post, each in a transaction of its own, so that one that cannot be read
 * stops no other. Run again, it takes up what is new and what has changed. Throws not-found when there is no folder.
 */
export async function* importFolder(deps: Importing, options: ImportOptions): AsyncGenerator<ImportedFile> {
  const root = await folderOf(options.folder);
  const sources = await markdownFilesIn(root);
  const rows = await deps.db.selectFrom('imported_posts').selectAll().execute();
  const known = new Map(rows.map(row => [row.source, row]));
  for (const source of sources) {
    try {
      yield await importFile(deps, { ...options, root, source, known: known.get(source) });
    } catch (error) {
      if (!(error instanceof AppError || isFileError(error))) throw error;
      yield { source, outcome: 'skipped', reason: error.message, notes: [] };
    }
  }
}

type Known = { post_id: string; digest: string };
type FileImport = ImportOptions & { root: string; source: string; known: Known | undefined };

async function importFile(deps: Importing, options: FileImport): Promise<ImportedFile> {
  const { root, source, known, authorId, isDryRun } = options;
  const path = join(root, source);
  const { mtimeMs, size } = await stat(path);
  if (size > maxFileBytes) throw new AppError('invalid-argument', 'it is too long for a post');
  const bytes = await readFile(path);
  const { text, notes: textNotes } = decode(bytes);
  const file = readImportedText(source, text, deps.config.timeZone);
  const { maxFileBytes: maxBytes } = deps.config;
  const { images, notes: imageNotes } = await findLocalImages(file.content, { root, source, maxBytes });
  const notes = [...textNotes, ...file.notes, ...imageNotes];
  // An image that has appeared or changed since is a change of the post, too.
  const digest = digestOf(Buffer.from([digestOf(bytes), ...images.map(image => image.digest)].join(' ')));
  if (known?.digest === digest) return { source, outcome: 'unchanged', notes: [] };

  const before = known && (await findSavedPost(deps.db, known.post_id));
  if (before?.updated_at != null) {
    return { source, outcome: 'kept', reason: 'it was edited in Coterie since the last import', notes: [] };
  }
  const id = known?.post_id ?? createId();
  const outcome = known ? 'updated' : 'created';
  // Before anything is stored: what cannot be a post leaves nothing behind.
  const planned = await postOf(file, file.content, id);
  if (planned.input.isDraft && before?.published_at != null)
    notes.push('it is published already and stays so');
  if (file.date !== undefined && file.date > deps.clock()) notes.push('its date lies in the future');
  notes.push(...planned.notes);
  if (isDryRun) return { source, outcome, notes };

  const stored = await storeImages(deps, images, known?.post_id, authorId);
  const content = withAddresses(file.content, stored.images);
  const post = stored.images.length === 0 ? planned : await postOf(file, content, id);
  const row = {
    id,
    source,
    digest,
    authorId,
    isDraft: post.input.isDraft,
    time: file.date,
    modified: Math.round(mtimeMs),
  };
  let unused: string[];
  try {
    const text = {
      words: post.words,
      tags: post.input.tags,
      attachments: undefined,
      savedBy: authorId,
      othersFiles: 'leave' as const,
    };
    unused = await saveImported(deps.db, row, text, known !== undefined);
  } catch (error) {
    await removeUnusedFiles(deps, stored.newIds);
    if (error instanceof EditedMeanwhile)
      return { source, outcome: 'kept', reason: error.message, notes: [] };
    throw error;
  }
  await removeUnusedFiles(deps, unused);
  return { source, outcome, notes };
}

async function postOf(
  file: ImportedText,
  content: string,
  id: string,
): Promise<{ input: PostInput; words: PostWords; notes: string[] }> {
  if (content.trim() === '') throw new AppError('invalid-argument', 'it has no text');
  const rendered = await renderContent(content, id);
  const { input, notes } = postInputOf(file, content, rendered.text);
  const result = PostInput.safeParse(input);
  if (!result.success) {
    throw new AppError('invalid-argument', result.error.issues.map(issue => issue.message).join(' '));
  }
  return { input: result.data, notes, words: wordsOf(result.data, rendered) };
}

type StoredImages = { images: (LocalImage & { id: string; url: string })[]; newIds: string[] };

/** Stores what the post does not carry yet. */
async function storeImages(
  deps: Importing,
  images: readonly LocalImage[],
  postId: string | undefined,
  uploaderId: string | null,
): Promise<StoredImages> {
  if (images.length === 0) return { images: [], newIds: [] };
  const carried = postId === undefined ? [] : await filesOf(deps.db, postId);
  const stored: StoredImages = { images: [], newIds: [] };
  try {
    for (const image of images) {
      const known = carried.find(file => file.digest === image.digest)?.id;
      const { id, url } =
        known === undefined
          ? await storeFile(deps, { ...image, uploaderId })
          : { id: known, url: fileAddress(known) };
      if (known === undefined) stored.newIds.push(id);
      stored.images.push({ ...image, id, url });
    }
  } catch (error) {
    await removeUnusedFiles(deps, stored.newIds);
    throw error;
  }
  return stored;
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
