import { crc32, deflateRawSync } from 'node:zlib';

type Entry = {
  name: string;
  bytes: Buffer;
  /** What the archive says of its size, where that is not so. */
  claimedSize?: number;
  /** Whether the archive says that names are UTF-8; the Finder does not. */
  isFlagged?: boolean;
};

/** A zip archive as a program of good or bad intent would write it (PKWARE's APPNOTE, 4.3). */
export function zipOf(entries: readonly Entry[]): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, bytes, claimedSize = bytes.length, isFlagged = true } of entries) {
    const packed = deflateRawSync(bytes);
    const path = Buffer.from(name);
    // Common to both headers: version, flags (UTF-8), deflate, time, date, check sum, sizes, lengths.
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(isFlagged ? 0x0800 : 0, 2);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(crc32(bytes), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(claimedSize, 18);
    common.writeUInt16LE(path.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), common, path, packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\0', 'latin1'), common, rest, path]));
    files.push(local);
    offset += local.length;
  }
  const names = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(names.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...files, names, end]);
}
