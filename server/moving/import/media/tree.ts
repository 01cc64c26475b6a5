import { createReadStream, readFileSync, realpathSync, statSync } from 'node:fs';
import { opendir, realpath, stat } from 'node:fs/promises';
import { basename, isAbsolute, join, normalize, relative, sep } from 'node:path';
import { AppError } from '../../../../contract/errors.ts';
import { composed } from '../composed.ts';
import type { DraftFile } from '../draft.ts';
import { byComposedName } from './composed-names.ts';
import { openZip } from './zip.ts';

/** The files of a source: a folder, or a zip archive that is never unpacked. */
export type FileTree = {
  /** The file at a path within, with slashes; undefined if there is none, or if it is outside. */
  find(path: string): Promise<DraftFile | undefined>;
  /** Whether a path within leads outside, for example by a symbolic link. */
  isOutside(path: string): Promise<boolean>;
  /**
   * Paths of all files within, with slashes and composed letters, in alphabetical order, without macOS's own
   * files; only those of which `isWanted` accepts the name of the file and of each folder. Symbolic links are
   * not followed, so there are no loops.
   */
  paths(isWanted?: (name: string) => boolean): Promise<readonly string[]>;
  close(): Promise<void>;
};

/** The file at the first of these paths that has one. */
export async function findFirst(tree: FileTree, paths: readonly string[]): Promise<DraftFile | undefined> {
  for (const path of paths) {
    const file = await tree.find(path);
    if (file !== undefined) return file;
  }
  return undefined;
}

/** The start of a file, at most this many bytes. */
export async function headOfDraftFile(file: DraftFile, bytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of file.read()) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= bytes) break;
  }
  return Buffer.concat(chunks).subarray(0, bytes);
}

/** Throws not-found if there is nothing, and invalid-argument for a file that is not a zip archive. */
export async function openFileTree(path: string): Promise<FileTree> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) throw new AppError('not-found', `There is no folder or file ${path}.`);
  if (found.isDirectory()) return folderTree(await realpath(path));
  return await openZip(path);
}

/**
 * Bytes that are read synchronously: each asynchronous step would wait until the import has saved another
 * post.
 */
const atOnce = 256 * 1024;

async function* inOneGo(path: string): AsyncGenerator<Uint8Array> {
  yield readFileSync(path);
}

function folderTree(root: string): FileTree {
  /**
   * Real paths by composed ones, where they differ: listed once, when a non-ASCII name is first looked up.
   */
  let decomposed: Promise<Map<string, string>> | undefined;
  const find = async (path: string): Promise<string | 'outside' | undefined> => {
    const real = realPathWithin(root, path);
    if (real !== undefined || !/[^ -~]/.test(path)) return real;
    decomposed ??= listed(root, () => true).then(byComposedName);
    const other = (await decomposed).get(composed(normalize(path).replace(/^\//, '')));
    return other === undefined ? undefined : realPathWithin(root, other);
  };
  return {
    find: async path => {
      const real = await find(path);
      if (real === undefined || real === 'outside') return undefined;
      const found = statSync(real);
      if (!found.isFile()) return undefined;
      return {
        name: basename(path),
        size: found.size,
        modifiedAt: Math.round(found.mtimeMs),
        read: () => (found.size > atOnce ? createReadStream(real) : inOneGo(real)),
      };
    },
    isOutside: async path => realPathWithin(root, path) === 'outside',
    paths: async (isWanted = () => true) => [...byComposedName(await listed(root, isWanted)).keys()].sort(),
    close: async () => {},
  };
}

/** Paths of all files in a folder, like those of {@link FileTree}, but with their real names. */
async function listed(root: string, isWanted: (name: string) => boolean): Promise<string[]> {
  const paths: string[] = [];
  const visit = async (folder: string) => {
    for await (const entry of await opendir(folder)) {
      if (!isWanted(entry.name)) continue;
      const inner = join(folder, entry.name);
      if (entry.isDirectory()) await visit(inner);
      else if (entry.isFile()) paths.push(relative(root, inner).replaceAll(sep, '/'));
    }
  };
  await visit(root);
  return paths;
}

/**
 * The real path for a path in a folder, whose own real path is `root`. Neither `..` nor a symbolic link leads
 * out of the folder. Undefined if there is nothing.
 */
function realPathWithin(root: string, path: string): string | 'outside' | undefined {
  // A NUL ends a path for the system, and is refused.
  const real = path.includes('\0') ? undefined : realPathOf(join(root, path));
  if (real === undefined) return undefined;
  const within = relative(root, real);
  return within === '..' || within.startsWith(`..${sep}`) || isAbsolute(within) ? 'outside' : real;
}

function realPathOf(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}
