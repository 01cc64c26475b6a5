import type { FileHandle } from 'node:fs/promises';

const zeros = Buffer.alloc(64 * 1024);

/** Fills a part of a file with zeros. */
export async function zero(handle: FileHandle, from: number, to: number): Promise<void> {
  for (let at = from; at < to; at += zeros.length) {
    await write(handle, zeros.subarray(0, Math.min(zeros.length, to - at)), at);
  }
}

/** Writes bytes over those of a file, all of them. */
export async function write(handle: FileHandle, bytes: Uint8Array, at: number): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    written += (await handle.write(bytes, written, bytes.length - written, at + written)).bytesWritten;
  }
}
