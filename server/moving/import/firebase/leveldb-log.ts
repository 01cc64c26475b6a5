import { crc32c } from '@aws-crypto/crc32c';
import { AppError } from '../../../../contract/errors.ts';

/**
 * Bytes: a log is written in blocks, and no fragment crosses from one to the next (leveldb,
 * doc/log_format.md).
 */
const blockBytes = 32_768;
/** A check sum of four bytes, a length of two, a type. */
const headerBytes = 7;
/** A Firestore document is at most 1 MiB; a larger length means a corrupt record. */
const maxRecordBytes = 16 * 1024 * 1024;
/** All pieces between the first and the last fill a block. */
const maxPieces = maxRecordBytes / blockBytes + 2;

const types = { full: 1, first: 2, middle: 3, last: 4 } as const;

/**
 * The records of a LevelDB log, in which a managed export of Firestore stores its documents. Every fragment
 * is compared with its check sum. Throws invalid-argument, with the position, for a damaged or truncated
 * file: half of an export would look like a complete one.
 */
export async function* readLog(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let pieces: Buffer[] = [];
  let size = 0;
  for await (const { type, data, at } of readPieces(bytes)) {
    const isStart = type === types.full || type === types.first;
    if (isStart !== (pieces.length === 0)) throw damaged(at, 'the pieces of a record are not in order');
    size += data.length;
    if (size > maxRecordBytes || pieces.length === maxPieces)
      throw damaged(at, 'a record is larger than any document');
    pieces.push(data);
    if (type !== types.full && type !== types.last) continue;
    yield Buffer.concat(pieces);
    pieces = [];
    size = 0;
  }
  if (pieces.length > 0) throw damaged(undefined, 'it ends within a record');
}

async function* readPieces(bytes: AsyncIterable<Uint8Array>) {
  let at = 0;
  for await (const block of blocksOf(bytes)) {
    let offset = 0;
    while (block.length - offset >= headerBytes) {
      const start = at + offset;
      const checksum = block.readUInt32LE(offset);
      const length = block.readUInt16LE(offset + 4);
      const type = block[offset + 6] ?? 0;
      // The rest of a block after its last record is zeros.
      if (type === 0 && length === 0 && checksum === 0) break;
      const end = offset + headerBytes + length;
      if (end > block.length) throw damaged(start, 'it ends within a record');
      if (type < types.full || type > types.last) throw damaged(start, 'there is a record of no known type');
      // The check sum covers the type and the data.
      if (unmasked(checksum) !== crc32c(block.subarray(offset + 6, end)))
        throw damaged(start, 'a check sum is wrong');
      // A copy: the block's memory is reused.
      yield { type, data: Buffer.from(block.subarray(offset + headerBytes, end)), at: start };
      offset = end;
    }
    at += block.length;
  }
}

async function* blocksOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let held = Buffer.alloc(0);
  for await (const chunk of bytes) {
    held = Buffer.concat([held, chunk]);
    for (; held.length >= blockBytes; held = held.subarray(blockBytes)) yield held.subarray(0, blockBytes);
  }
  if (held.length > 0) yield held;
}

/**
 * Check sums are stored rotated and shifted, because a check sum of check sums would be weak (leveldb,
 * util/crc32c.h).
 */
function unmasked(stored: number): number {
  const rotated = (stored - 0xa282ead8) >>> 0;
  return ((rotated >>> 17) | (rotated << 15)) >>> 0;
}

function damaged(at: number | undefined, what: string): AppError {
  const place = at === undefined ? 'at its end' : `at byte ${at}`;
  return new AppError(
    'invalid-argument',
    `It is damaged ${place}: ${what}. Export it again, and copy it as binary.`,
  );
}
