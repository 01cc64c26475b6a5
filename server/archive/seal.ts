import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { pack } from 'tar-stream';
import { damaged } from './format.ts';

/**
 * The last entry of an archive: the SHA-256, in hexadecimal, of every byte before it. So a changed byte is noticed
 * wherever it is, also between the entries.
 */
export const sealName = 'archive.sha256';
/** Its header, its one block, and the two empty blocks that end a tar file. */
const sealBytes = 4 * 512;
/** Two empty blocks end a tar file. */
const endBytes = 2 * 512;

/** The bytes of a stream of tar-stream, whose types do not say that they are bytes. */
export async function* bytesOf(stream: AsyncIterable<unknown>): AsyncGenerator<Uint8Array> {
  for await (const chunk of stream) {
    if (!(chunk instanceof Uint8Array)) throw new TypeError('A stream of bytes holds something else.');
    yield chunk;
  }
}

/** Takes a whole tar file and gives it on with the seal as its last entry. */
export async function* seal(tar: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const held = new Holding(endBytes);
  for await (const chunk of tar) yield* held.push(chunk);
  yield await sealOf(held.digest());
}

/** Gives a sealed tar file on. Throws invalid-argument at its end when any byte of it has changed. */
export async function* unseal(sealed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const held = new Holding(sealBytes);
  for await (const chunk of sealed) yield* held.push(chunk);
  const expected = await sealOf(held.digest());
  if (!expected.equals(held.rest)) throw damaged('what lies between or after its parts, or its end,');
  yield held.rest;
}

/** Hashes what passes, and holds the last bytes back, because they may be the end. */
class Holding {
  readonly #hash = createHash('sha256');
  readonly #bytes: number;
  rest: Buffer = Buffer.alloc(0);

  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  *push(chunk: Uint8Array): Generator<Uint8Array> {
    const all = this.rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([this.rest, chunk]);
    const passing = all.subarray(0, Math.max(0, all.length - this.#bytes));
    this.rest = Buffer.from(all.subarray(passing.length));
    if (passing.length === 0) return;
    this.#hash.update(passing);
    yield passing;
  }

  digest(): string {
    return this.#hash.digest('hex');
  }
}

async function sealOf(sha256: string): Promise<Buffer> {
  const tar = pack();
  tar.entry({ name: sealName, mtime: new Date(0), mode: 0o600 }, `${sha256}\n`);
  tar.finalize();
  return await buffer(bytesOf(tar));
}
