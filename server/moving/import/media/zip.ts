import { isUtf8 } from 'node:buffer';
import { basename, join } from 'node:path/posix';
import { type Entry, openPromise } from 'yauzl';
import { AppError } from '../../../../contract/errors.ts';
import { composed } from '../composed.ts';
import type { DraftFile } from '../draft.ts';
import { byComposedName } from './composed-names.ts';
import type { FileTree } from './tree.ts';

/** More files than any real archive has; each takes some hundred bytes of memory. */
const maxEntries = 500_000;

const lazily = { autoClose: false, lazyEntries: true } as const;

/**
 * A zip archive by its directory. Nothing is written anywhere: a file is read in place, and never more of it
 * than the directory says, whatever its bytes would unpack to. Throws invalid-argument if it is not an
 * archive, and for one with a path that would lead out of it.
 */
export async function openZip(archive: string): Promise<FileTree> {
  const zip = await openPromise(archive, lazily).catch(refuse);
  const found = new Map<string, Entry>();
  try {
    if (zip.entryCount > maxEntries)
      throw new AppError('invalid-argument', `The archive has more than ${maxEntries} files.`);
    for await (const entry of zip.eachEntry()) {
      const name = nameOf(entry);
      if (!name.endsWith('/')) found.set(name, entry);
    }
  } catch (error) {
    zip.close();
    return refuse(error);
  }
  const names = byComposedName([...found.keys()]);
  const top = topOf([...names.keys()]);
  const entryAt = (path: string) => found.get(names.get(path) ?? '');
  return {
    find: async inner => {
      const path = composed(inner.replace(/^\/+/, ''));
      const entry = entryAt(path) ?? (top === undefined ? undefined : entryAt(`${top}/${path}`));
      return entry && fileOf(archive, entry, basename(path));
    },
    isOutside: async inner => join(inner).startsWith('..'),
    paths: async (isWanted = () => true) =>
      [...names.keys()].filter(inner => inner.split('/').every(isWanted)).sort(),
    close: async () => zip.close(),
  };
}

/**
 * Many programs, such as the Finder, write UTF-8 without saying so; then the name would be read in the DOS
 * encoding.
 */
function nameOf(entry: Entry): string {
  const hasUnicodeField = entry.extraFields.some(({ id }) => id === 0x7075);
  if (hasUnicodeField || !isUtf8(entry.fileNameRaw)) return entry.fileName;
  return entry.fileNameRaw.toString().replaceAll('\\', '/');
}

/** The folder around all files of an archive, which repacking adds. */
function topOf(names: readonly string[]): string | undefined {
  const [top] = names[0]?.split('/') ?? [];
  return top !== undefined && names.every(name => name.startsWith(`${top}/`)) ? top : undefined;
}

function fileOf(archive: string, entry: Entry, name: string): DraftFile {
  return {
    name,
    size: entry.uncompressedSize,
    modifiedAt: entry.getLastModDate().getTime(),
    read: async function* () {
      // Opened for each file: of several streams of one `ZipFile` none may end early, or yauzl throws.
      const zip = await openPromise(archive, lazily);
      try {
        yield* await zip.openReadStreamPromise(entry);
      } catch (error) {
        refuse(error);
      } finally {
        zip.close();
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
