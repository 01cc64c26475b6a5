/**
 * A copy of bytes in memory of their own, for what is kept. A small Buffer is a part of a block of 64 KiB that Node.js shares
 * among many: for as long as one of them is kept, so is the block.
 */
export function ownBytes(bytes: Uint8Array): Buffer<ArrayBuffer> {
  const own = Buffer.allocUnsafeSlow(bytes.length);
  own.set(bytes);
  return own;
}
