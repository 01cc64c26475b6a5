import { AppError } from '../../../contract/errors.ts';

/** Bytes before the file's own: the metadata and the headers of both parts. */
const maxHeadBytes = 64 * 1024;

export type Multipart = { json: string; type: string | null; bytes: AsyncIterable<Uint8Array> };

/**
 * Splits a `multipart/related` body of two parts, metadata and file, as it arrives. The file ends at the last
 * delimiter, which is at the end of the body, so the file is not searched for one. (busboy reads only
 * `multipart/form-data`, and its Dicer would end a file at a delimiter inside it.) Throws invalid-argument;
 * reading `bytes` throws it, too, if the end is missing.
 */
export async function readMultipart(
  contentType: string | undefined,
  body: AsyncIterable<Uint8Array>,
): Promise<Multipart> {
  const boundary = /^multipart\/related\s*;.*?boundary=(?:"([^"]{1,200})"|([^\s;"]{1,200}))/i.exec(
    contentType ?? '',
  );
  const delimiter = `--${boundary?.[1] ?? boundary?.[2]}`;
  if (boundary === null) throw malformed();
  const chunks = body[Symbol.asyncIterator]();
  let head: Buffer = Buffer.alloc(0);
  for (;;) {
    const split = splitHead(head, delimiter);
    if (split !== undefined) {
      const { json, type, rest } = split;
      return { json, type, bytes: untilDelimiter(rest, chunks, `\r\n${delimiter}--`) };
    }
    const { value, done } = await chunks.next();
    if (done || head.length > maxHeadBytes) throw malformed();
    head = Buffer.concat([head, value]);
  }
}

function splitHead(
  head: Buffer,
  delimiter: string,
): { json: string; type: string | null; rest: Buffer } | undefined {
  const first = part(head, 0, `${delimiter}\r\n`);
  if (first === undefined) return undefined;
  const between = `\r\n${delimiter}\r\n`;
  const end = head.indexOf(between, first.body);
  if (end < 0) return undefined;
  const second = part(head, end + 2, `${delimiter}\r\n`);
  if (second === undefined) return undefined;
  if (second.body > maxHeadBytes) throw malformed();
  const type = /^content-type:\s*([^\r\n]+)/im.exec(second.headers)?.[1]?.trim() ?? null;
  return { json: head.toString('utf8', first.body, end), type, rest: head.subarray(second.body) };
}

/** The headers of a part and the offset of its body; undefined until enough has arrived. */
function part(head: Buffer, at: number, opening: string): { headers: string; body: number } | undefined {
  if (head.length < at + opening.length) return undefined;
  if (head.toString('latin1', at, at + opening.length) !== opening) throw malformed();
  const start = at + opening.length;
  // In a part without headers the empty line follows the delimiter directly.
  const end = head.indexOf('\r\n\r\n', start - 2);
  return end < 0
    ? undefined
    : { headers: head.toString('latin1', start, Math.max(start, end)), body: end + 4 };
}

/** Yields everything except the closing delimiter, for which enough bytes are always held back. */
async function* untilDelimiter(
  rest: Buffer,
  chunks: AsyncIterator<Uint8Array>,
  closing: string,
): AsyncGenerator<Uint8Array> {
  // A line end may follow it.
  const heldBack = closing.length + 2;
  let held: Buffer = rest;
  for (;;) {
    const { value, done } = await chunks.next();
    if (done) break;
    if (value.length >= heldBack) {
      const cut = value.length - heldBack;
      yield held;
      if (cut > 0) yield value.subarray(0, cut);
      held = Buffer.from(value.subarray(cut));
    } else {
      const joined = Buffer.concat([held, value]);
      const cut = Math.max(0, joined.length - heldBack);
      if (cut > 0) yield joined.subarray(0, cut);
      held = joined.subarray(cut);
    }
  }
  const end = held.subarray(-2).equals(Buffer.from('\r\n')) ? held.length - 2 : held.length;
  const start = end - closing.length;
  if (start < 0 || held.toString('latin1', start, end) !== closing) throw malformed();
  if (start > 0) yield held.subarray(0, start);
}

function malformed(): AppError {
  return new AppError('invalid-argument', 'The body must be multipart/related with two parts.');
}
