/**
 * A copy of bytes outside of the pool of Node.js, for caches. A small Buffer is a slice of a block of 64 KiB
 * that many Buffers share, and a cached one keeps the whole block in memory.
 */
export function ownBytes(bytes: Uint8Array): Buffer<ArrayBuffer> {
  const own = Buffer.allocUnsafeSlow(bytes.length);
  own.set(bytes);
  return own;
}
