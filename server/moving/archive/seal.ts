import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { pack } from 'tar-stream';
import { damaged } from './format.ts';

/**
 * The last entry of an archive: the SHA-256, in hexadecimal, of every byte before it. So a changed byte is
 * noticed anywhere, even between the entries.
 */
export const sealName = 'archive.sha256';
/** Its header, its one block, and the two empty blocks that end a tar file. */
const sealBytes = 4 * 512;
/** Two empty blocks end a tar file. */
const endBytes = 2 * 512;

/** The bytes of a tar-stream, whose types do not say that they are bytes. */
export async function* bytesOf(stream: AsyncIterable<unknown>): AsyncGenerator<Uint8Array> {
  for await (const chunk of stream) {
    if (!(chunk instanceof Uint8Array)) throw new TypeError('A stream of bytes holds something else.');
    yield chunk;
  }
}

/** Reads a whole tar file and yields it with the seal as its last entry. */
export async function* seal(tar: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const { sha256 } = yield* allButLast(endBytes, tar);
  yield await sealOf(sha256);
}

/** Yields a sealed tar file. Throws invalid-argument at its end if any byte has changed. */
export async function* unseal(sealed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const { sha256, last } = yield* allButLast(sealBytes, sealed);
  if (!(await sealOf(sha256)).equals(last))
    throw damaged('what lies between or after its parts, or its end,');
  yield last;
}

/** Yields all bytes except this many at the end. Returns those, and the SHA-256 of the yielded bytes. */
async function* allButLast(
  bytes: number,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, { sha256: string; last: Buffer }> {
  const hash = createHash('sha256');
  let last: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const all = last.length === 0 ? Buffer.from(chunk) : Buffer.concat([last, chunk]);
    const passing = all.subarray(0, Math.max(0, all.length - bytes));
    last = Buffer.from(all.subarray(passing.length));
    if (passing.length === 0) continue;
    hash.update(passing);
    yield passing;
  }
  return { sha256: hash.digest('hex'), last };
}

async function sealOf(sha256: string): Promise<Buffer> {
  const tar = pack();
  tar.entry({ name: sealName, mtime: new Date(0), mode: 0o600 }, `${sha256}\n`);
  tar.finalize();
  return await buffer(bytesOf(tar));
}
