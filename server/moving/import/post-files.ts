import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import type { Kysely } from 'kysely';
import { attachmentDescriptionMaxCharacters } from '../../../contract/constants.ts';
import { AppError } from '../../../contract/errors.ts';
import type { AttachmentInput } from '../../../contract/post-input.ts';
import { cutAtWord } from '../../../contract/text.ts';
import { isOutage } from '../../db/outage.ts';
import type { Tables } from '../../db/tables.ts';
import { fileAddress } from '../../files/address.ts';
import { removeUnusedFiles } from '../../files/remove.ts';
import { largestFile } from '../../files/uploads/largest.ts';
import { storeStream, type UploadContext } from '../../files/uploads/write.ts';
import { isPlayedAt } from '../../markdown/players.ts';
import type { DraftFile, DraftPost } from './draft.ts';
import { importedId } from './imported.ts';
import { findReferences, fragmentOf, type Reference, withAddresses } from './references.ts';
import type { Note } from './report.ts';
import { storableName } from './storable.ts';

export type ImportContext = UploadContext & { secret: string };

/** A file of a post, found in its source. */
type FoundFile = DraftFile & {
  /** SHA-256 of its bytes, base64url. */
  digest: string;
};

type PlacedFile = FoundFile & {
  /** Its current or future id here. */
  id: string;
  /** Its future name for programs. */
  path: string;
  isStored: boolean;
};

/** The files that a post shows, lists and links to, each address looked up once. */
type PostFilesAs<File> = {
  references: Reference[];
  /** By the address in the text or in the list of attachments. */
  files: Map<string, File>;
  /** Addresses of other posts of the same source, replaced by those here. */
  posts: Map<string, string>;
  notes: Note[];
};
export type FoundFiles = PostFilesAs<FoundFile>;
export type PostFiles = PostFilesAs<PlacedFile>;

/**
 * Finds every file of the source that a post shows or lists; `addressOfPost` returns the address of its other
 * posts here.
 */
export async function findPostFiles(
  context: Pick<ImportContext, 'settings'>,
  draft: DraftPost,
  addressOfPost: (id: string) => string | Promise<string>,
): Promise<FoundFiles> {
  const references = findReferences(draft.content, draft.isOwnAddress);
  const found: FoundFiles = { references, files: new Map(), posts: new Map(), notes: [] };
  const wanted = new Map(references.map(({ address, isLink }) => [address, isLink]));
  for (const { address, thumbnail } of draft.attachments ?? []) {
    wanted.set(address, false);
    if (thumbnail !== undefined) wanted.set(thumbnail, false);
  }
  // Most posts have none, and this reads the settings.
  const largest = wanted.size === 0 ? 0 : await largestFile(context);
  for (const [address, isLink] of wanted) {
    const post = isLink ? draft.findPost?.(address) : undefined;
    if (post !== undefined) {
      found.posts.set(address, await addressOfPost(post));
      continue;
    }
    const file = await draft.findFile(address, isLink);
    if (file === undefined) continue;
    if ('problem' in file) found.notes.push({ file: address, text: file.problem });
    else if (file.size > largest) {
      found.notes.push({ file: address, text: `is larger than ${largest / 1024 / 1024} MB` });
    } else {
      const name = storableName(file.name);
      found.files.set(address, { ...file, name, digest: await digestOfBytes(file) });
    }
  }
  return found;
}

/**
 * Finds out which of these files are here, and where the others will be. `source` is the post's unique name
 * across sources; `carriedBy` is its id if it exists, because its files are not stored again.
 */
export async function placePostFiles(
  context: ImportContext,
  found: FoundFiles,
  source: string,
  carriedBy: string | undefined,
): Promise<PostFiles> {
  const files = new Map<string, PlacedFile>();
  const carried =
    carriedBy === undefined || found.files.size === 0 ? [] : await filesOf(context.db, carriedBy);
  for (const [address, file] of found.files) {
    const same = [...files.values()].filter(one => one.digest === file.digest);
    const twin = same.find(({ path }) => file.path === undefined || file.path === path);
    // One row for the same bytes under two names, unless programs use both names.
    if (twin !== undefined)
      files.set(address, { ...file, id: twin.id, path: twin.path, isStored: twin.isStored });
    else
      files.set(
        address,
        await place(context, file, same.length === 0 ? source : `${source} ${file.path}`, carried),
      );
  }
  return { ...found, files };
}

/**
 * Whether a file is here already, on its post, under its own id or its path, and otherwise where it will be.
 */
async function place(
  { db, secret }: ImportContext,
  file: FoundFile,
  source: string,
  carried: readonly { id: string; path: string; digest: string }[],
): Promise<PlacedFile> {
  const { digest } = file;
  const known = carried.find(one => one.digest === digest);
  if (known !== undefined) return { ...file, ...known, isStored: true };
  // Unique to each post, and the same each time: what an interrupted run has stored is found again.
  const own = importedId(secret, `file ${source} ${digest}`);
  const files = db.selectFrom('files').select(['id', 'path', 'digest']);
  const stored = await files.where('id', '=', own).executeTakeFirst();
  if (stored !== undefined) return { ...file, ...stored, isStored: true };
  for (const path of [file.path, `imports/${own}/${basename(file.name)}`]) {
    if (path === undefined) continue;
    const there = await files.where('path', '=', path).executeTakeFirst();
    if (there === undefined || there.digest === digest) {
      return { ...file, digest, path, id: there?.id ?? own, isStored: there !== undefined };
    }
  }
  // Both names are taken by other bytes: a program may have overwritten an import.
  return { ...file, digest, path: `imports/${own}/${digest}`, id: own, isStored: false };
}

/**
 * Stores missing files. A file that cannot be stored leaves its address unchanged, with a note. Returns the
 * ids of the new ones. Throws resource-exhausted if the site has no space left for files, and an outage; then
 * leaves nothing behind.
 */
export async function storePostFiles(
  context: ImportContext,
  found: PostFiles,
  uploaderId: string | null,
): Promise<string[]> {
  const ids = new Map<string, string>();
  try {
    for (const [address, file] of found.files) {
      if (file.isStored) continue;
      // The same picture may be at two addresses.
      const twin = ids.get(file.id);
      const row = twin === undefined ? await storeOne(context, file, uploaderId) : { id: twin };
      if (typeof row === 'string') {
        found.files.delete(address);
        found.notes.push({ file: address, text: `cannot be stored: ${row}` });
      } else {
        found.files.set(address, { ...file, id: row.id, isStored: true });
        ids.set(file.id, row.id);
      }
    }
  } catch (error) {
    await removeUnusedFiles(context, [...ids.values()]);
    throw error;
  }
  return [...ids.values()];
}

async function storeOne(
  context: ImportContext,
  { id, path, read }: PlacedFile,
  uploaderId: string | null,
): Promise<{ id: string } | string> {
  const file = { id, path, type: null, metadata: {}, uploaderId };
  try {
    return await storeStream(context, file, read(), await largestFile(context));
  } catch (error) {
    if (error instanceof AppError && error.code !== 'resource-exhausted' && !isOutage(error))
      return error.message;
    throw error;
  }
}

/** Removes the copies that were made on this disk to read these files, once their post is done. */
export async function discardFiles({ files }: FoundFiles): Promise<void> {
  for (const file of files.values()) await file.discard?.();
}

/** The text of a post with the new addresses of its files and neighbours. */
export function contentWith(content: string, { references, files, posts }: PostFiles): string {
  return withAddresses(
    content,
    references.flatMap(reference => {
      const post = posts.get(reference.address);
      if (post !== undefined) return { reference, address: post };
      const file = files.get(reference.address);
      if (file === undefined) return [];
      // Its extension makes a player of a link or an image, and its name is used for downloads.
      const isNamed = reference.isLink || isPlayedAt(file.name);
      const address = fileAddress(file.id, isNamed ? file.name : undefined);
      return { reference, address: address + fragmentOf(reference.address) };
    }),
  );
}

export function pictureWith(address: string | undefined, { files }: PostFiles): string | undefined {
  const file = files.get(address ?? '');
  return file === undefined ? address : fileAddress(file.id);
}

/** The attachments of a post whose files are here; undefined if its source has none. */
export function attachmentsOf(
  { attachments }: DraftPost,
  { files }: PostFiles,
): AttachmentInput[] | undefined {
  return attachments?.flatMap(({ address, description, alt, thumbnail }) => {
    const file = files.get(address);
    if (file === undefined) return [];
    const picture = files.get(thumbnail ?? '');
    const cut = (words: string | undefined) =>
      words === undefined ? null : cutAtWord(words, attachmentDescriptionMaxCharacters);
    return {
      url: fileAddress(file.id, file.name),
      description: cut(description),
      alt: cut(alt),
      thumbnail: picture === undefined ? null : fileAddress(picture.id, picture.name),
    };
  });
}

/** A post's files, with the fields that identify equal files. */
async function filesOf(db: Kysely<Tables>, postId: string) {
  return await db
    .selectFrom('post_files')
    .innerJoin('files', 'files.id', 'post_files.file_id')
    .select(['files.id', 'files.path', 'files.digest'])
    .where('post_files.post_id', '=', postId)
    .execute();
}

async function digestOfBytes(file: DraftFile): Promise<string> {
  const sha256 = createHash('sha256');
  for await (const chunk of file.read()) sha256.update(chunk);
  return sha256.digest('base64url');
}

export function sizeOf({ files }: PostFiles): { files: number; bytes: number } {
  const added = new Map([...files.values()].filter(file => !file.isStored).map(file => [file.id, file.size]));
  return { files: added.size, bytes: [...added.values()].reduce((sum, size) => sum + size, 0) };
}
