import { basename, join } from 'node:path/posix';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { AppError } from '../../../contract/errors.ts';
import type { DraftFile } from '../draft.ts';
import type { FileTree } from './tree.ts';

/** More files than any real archive has; each takes some hundred bytes of memory. */
const maxEntries = 500_000;

/**
 * A zip archive by its directory. Nothing is written anywhere: a file is read from where it lies in the archive, and never
 * more of it than the directory says, whatever its bytes would unpack to. Throws invalid-argument for what is no archive, and
 * for one with a path that would lead out of it.
 */
export async function openZip(path: string): Promise<FileTree> {
  const zip = await openPromise(path, { autoClose: false, lazyEntries: true }).catch(refuse);
  const entries = new Map<string, Entry>();
  try {
    if (zip.entryCount > maxEntries)
      throw new AppError('invalid-argument', `The archive has more than ${maxEntries} files.`);
    for await (const entry of zip.eachEntry()) {
      if (!entry.fileName.endsWith('/')) entries.set(entry.fileName, entry);
    }
  } catch (error) {
    zip.close();
    return refuse(error);
  }
  return {
    find: async inner => {
      const entry = entries.get(inner.replace(/^\/+/, ''));
      return entry && fileOf(zip, entry);
    },
    isOutside: async inner => join(inner).startsWith('..'),
    paths: async (isWanted = () => true) =>
      [...entries.keys()].filter(inner => inner.split('/').every(isWanted)).sort(),
    close: async () => zip.close(),
  };
}

function fileOf(zip: ZipFile, entry: Entry): DraftFile {
  return {
    name: basename(entry.fileName),
    size: entry.uncompressedSize,
    modifiedAt: entry.getLastModDate().getTime(),
    read: async function* () {
      try {
        yield* await zip.openReadStreamPromise(entry);
      } catch (error) {
        refuse(error);
      }
    },
  };
}

function refuse(error: unknown): never {
  if (error instanceof AppError) throw error;
  const isFileError = error instanceof Error && 'syscall' in error;
  if (!(error instanceof Error) || isFileError) throw error;
  const reason = error.message.startsWith('End of central directory')
    ? 'it is no zip file, or its end is missing'
    : error.message;
  throw new AppError('invalid-argument', `The archive cannot be read: ${reason}.`);
}
