import { createHash, hash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { AppError } from '../../../contract/errors.ts';
import { damaged, maxPartBytes, partBytes } from './format.ts';
import { bytesOf, sealName, unseal } from './seal.ts';
import type { ArchiveSource } from './source.ts';

const decompress = promisify(gunzip);

/** An entry of an archive. Its chunks must be read before the next entry is requested. */
export type ArchiveEntry = { name: string; size: number; chunks: AsyncIterable<Uint8Array> };

/**
 * The entries of an archive in order. Throws invalid-argument if it is not an archive, and, at the latest at
 * its end, if any byte has changed.
 */
export async function* readEntries(archive: ArchiveSource): AsyncGenerator<ArchiveEntry> {
  const tar = extract();
  let at = 'its beginning';
  const read = pipeline(archive.open(), unseal, tar);
  // Awaited below; when the entries end with an error, it is the same error.
  read.catch(() => {});
  try {
    for await (const entry of tar) {
      const { size = 0, type } = entry.header;
      // A name is stored and shown to people; a foreign one may be long and contain anything.
      const name = /^[\w./-]{1,100}$/.test(entry.header.name)
        ? entry.header.name
        : 'an entry of an unknown name';
      at = name;
      if (type !== 'file') throw damaged(name);
      if (name !== sealName) yield { name, size, chunks: bytesOf(entry) };
      entry.resume();
    }
    await read;
  } catch (error) {
    if (error instanceof AppError || !isUnreadable(error)) throw error;
    throw new AppError(
      'invalid-argument',
      `${archive.name} is not a whole archive of Coterie: it cannot be read after ${at}.`,
    );
  }
}

/** Whether tar-stream threw an error about the bytes; errors of the file system have a code. */
function isUnreadable(error: unknown): boolean {
  return error instanceof Error && !('syscall' in error);
}

/**
 * Lines of a part, and the SHA-256 of all of them, hexadecimal. Throws invalid-argument for a damaged part.
 */
export async function readPart({ name, size, chunks }: ArchiveEntry): Promise<{
  lines: string[];
  bytes: number;
  sha256: string;
}> {
  const bytes = await readAll({ name, size, chunks }, maxPartBytes);
  const text = await decompress(bytes, { maxOutputLength: maxPartBytes }).catch(() => {
    throw damaged(name);
  });
  // That many empty lines would take as much memory as a long one.
  if (text.length > partBytes && text.indexOf('\n') < text.length - 1) throw damaged(name);
  const lines = text.toString().split('\n');
  if (lines.pop() !== '') throw damaged(name);
  return { lines, bytes: text.length, sha256: hash('sha256', text, 'hex') };
}

/** A small entry as a whole. Throws invalid-argument for a larger one. */
export async function readAll({ name, size, chunks }: ArchiveEntry, maxBytes: number): Promise<Buffer> {
  if (size > maxBytes) throw damaged(name);
  return await buffer(chunks);
}

/** Yields the bytes of an entry. Throws invalid-argument at the end if their SHA-256 differs. */
export async function* checked(
  { name, chunks }: Pick<ArchiveEntry, 'name' | 'chunks'>,
  sha256: string,
): AsyncGenerator<Uint8Array> {
  const hashed = createHash('sha256');
  for await (const chunk of chunks) {
    hashed.update(chunk);
    yield chunk;
  }
  if (hashed.digest('hex') !== sha256) throw damaged(name);
}
