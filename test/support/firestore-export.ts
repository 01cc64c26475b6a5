import { crc32c } from '@aws-crypto/crc32c';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';

/** A time in a document of a test. */
export class Timestamp {
  readonly milliseconds: number;
  constructor(milliseconds: number) {
    this.milliseconds = milliseconds;
  }
}

const blockBytes = 32_768;
const headerBytes = 7;

/**
 * A file of a managed export of Firestore, as Google's emulator writes it: documents by path, in a log of
 * LevelDB. Written from the same descriptions as the reader (leveldb's doc/log_format.md, Datastore's
 * entity.proto), and the reader is tried on exports of others, too.
 */
export function firestoreExport(
  documents: Readonly<Record<string, Record<string, unknown>>>,
  project = 'my-blog',
): Buffer {
  const records = Object.entries(documents).map(([path, fields]) => entityOf(fields, path, project));
  return logOf(records);
}

/** Records as a log: cut at the ends of blocks, each piece with its check sum. */
export function logOf(records: readonly Uint8Array[]): Buffer {
  const pieces: Buffer[] = [];
  let used = 0;
  for (const record of records) {
    for (let start = 0, isFirst = true; isFirst || start < record.length; isFirst = false) {
      if (blockBytes - used < headerBytes) {
        pieces.push(Buffer.alloc(blockBytes - used));
        used = 0;
      }
      const length = Math.min(record.length - start, blockBytes - used - headerBytes);
      const isLast = start + length === record.length;
      pieces.push(
        pieceOf(isFirst ? (isLast ? 1 : 2) : isLast ? 4 : 3, record.subarray(start, start + length)),
      );
      start += length;
      used = (used + headerBytes + length) % blockBytes;
    }
  }
  return Buffer.concat(pieces);
}

/** A piece of a record: its first (2), its last (4), or one between them (3). */
export function pieceOf(type: number, data: Uint8Array): Buffer {
  const typed = Buffer.concat([Buffer.of(type), data]);
  const sum = crc32c(typed);
  const header = Buffer.alloc(6);
  header.writeUInt32LE((((sum >>> 15) | (sum << 17)) + 0xa282ead8) >>> 0, 0);
  header.writeUInt16LE(data.length, 4);
  return Buffer.concat([header, typed]);
}

function entityOf(fields: Record<string, unknown>, path?: string, project = ''): Uint8Array {
  const writer = new BinaryWriter();
  if (path !== undefined) {
    const key = new BinaryWriter().tag(13, WireType.LengthDelimited).string(`dev~${project}`);
    key.tag(14, WireType.LengthDelimited).bytes(pathOf(path));
    writer.tag(13, WireType.LengthDelimited).bytes(key.finish());
  }
  for (const [name, value] of Object.entries(fields)) {
    if (Array.isArray(value)) {
      if (value.length === 0) writeProperty(writer, name, new Uint8Array(), { meaning: 24 });
      for (const one of value) writeProperty(writer, name, ...encoded(one, true));
    } else writeProperty(writer, name, ...encoded(value, false));
  }
  return writer.finish();
}

function pathOf(path: string): Uint8Array {
  const writer = new BinaryWriter();
  const segments = path.split('/');
  for (let index = 0; index < segments.length; index += 2) {
    writer.tag(1, WireType.StartGroup);
    writer.tag(2, WireType.LengthDelimited).string(segments[index] ?? '');
    writer.tag(4, WireType.LengthDelimited).string(segments[index + 1] ?? '');
    writer.tag(1, WireType.EndGroup);
  }
  return writer.finish();
}

type Shape = { meaning?: number; isMultiple?: boolean };

function encoded(value: unknown, isMultiple: boolean): [Uint8Array, Shape] {
  const writer = new BinaryWriter();
  if (value instanceof Timestamp) {
    return [
      writer
        .tag(1, WireType.Varint)
        .int64(value.milliseconds * 1_000)
        .finish(),
      { meaning: 7, isMultiple },
    ];
  }
  if (typeof value === 'object' && value !== null) {
    const bytes = entityOf(value as Record<string, unknown>);
    return [writer.tag(3, WireType.LengthDelimited).bytes(bytes).finish(), { meaning: 19, isMultiple }];
  }
  if (typeof value === 'number' && Number.isInteger(value)) writer.tag(1, WireType.Varint).int64(value);
  else if (typeof value === 'number') writer.tag(4, WireType.Bit64).double(value);
  else if (typeof value === 'boolean') writer.tag(2, WireType.Varint).bool(value);
  else if (typeof value === 'string') writer.tag(3, WireType.LengthDelimited).string(value);
  return [writer.finish(), { isMultiple }];
}

function writeProperty(
  writer: BinaryWriter,
  name: string,
  value: Uint8Array,
  { meaning, isMultiple = false }: Shape,
): void {
  const property = new BinaryWriter();
  if (meaning !== undefined) property.tag(1, WireType.Varint).int32(meaning);
  property.tag(3, WireType.LengthDelimited).string(name);
  property.tag(4, WireType.Varint).bool(isMultiple);
  property.tag(5, WireType.LengthDelimited).bytes(value);
  writer.tag(15, WireType.LengthDelimited).bytes(property.finish());
}
