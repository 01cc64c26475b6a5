import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Writes all bytes at a position in a file. */
export async function write(handle: FileHandle, bytes: Uint8Array, at: number): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    written += (await handle.write(bytes, written, bytes.length - written, at + written)).bytesWritten;
  }
}

/** Waits until a file, or the names in a folder, are on the disk. */
export async function flush(path: string): Promise<void> {
  await using handle = await open(path);
  await handle.sync();
}

/** The names of unfinished files: of stores, archives, migrations and copies of a site. */
const abandonedName =
  /[.][\w-]{16}[.]unfinished$|^coterie-before-.+[.]db[.]unfinished|^[.](?:rehearsal|upgrade)-\w{6}$/;

/** Removes unfinished files that killed processes left in a folder before a time, in milliseconds. */
export async function removeAbandoned(folder: string, before: number): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    if (!abandonedName.test(name)) continue;
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined);
    if (found !== undefined && found.mtimeMs < before) await rm(path, { recursive: true, force: true });
  }
}

/** At most this many bytes from the beginning of a file. */
export async function headOf(path: string, bytes: number): Promise<Buffer> {
  await using handle = await open(path);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytes), 0, bytes, 0);
  return buffer.subarray(0, bytesRead);
}

/**
 * The digests and the length of a file; `digest`, SHA-256 as base64url, tells whether two files are the same.
 */
export async function digestsOf(path: string): Promise<{ digest: string; md5: string; size: number }> {
  const sha256 = createHash('sha256');
  const md5 = createHash('md5');
  let size = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: 256 * 1024 })) {
    sha256.update(chunk);
    md5.update(chunk);
    size += chunk.length;
  }
  return { digest: sha256.digest('base64url'), md5: md5.digest('base64'), size };
}
