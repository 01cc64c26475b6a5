/** Tags in the settings of codecs, which must be present: they become empty, at the same length. */

/**
 * Empties a comment of a Xiph codec: no program, no entries, then the framing bit. The rest becomes zeros.
 */
export function emptyComment(bytes: Buffer, from: number, to: number): void {
  bytes.fill(0, Math.min(from, to), to);
  if (from + 8 < to) bytes[from + 8] = 1;
}

/**
 * Empties the second of three headers, the comment, of Vorbis or Theora in Matroska: their lengths come
 * first.
 */
export function clearXiphHeaders(bytes: Buffer): void {
  let at = 1;
  const lengths = [0, 0].map(() => {
    let length = 0;
    for (let more = 255; more === 255; at += 1) {
      more = bytes[at] ?? 0;
      length += more;
    }
    return length;
  });
  const from = at + (lengths[0] ?? 0);
  const to = Math.min(bytes.length, from + (lengths[1] ?? 0));
  emptyComment(bytes, from + 7, to);
}

/**
 * Turns FLAC blocks that do not describe the sound into padding: tags, pictures, data of programs. Returns
 * where the blocks end.
 */
export function clearFlacBlocks(bytes: Buffer, from: number): number {
  let at = from;
  for (let isLast = false; !isLast && at + 4 <= bytes.length; ) {
    const kind = bytes[at] ?? 0;
    const end = at + 4 + bytes.readUIntBE(at + 1, 3);
    isLast = kind >= 0x80;
    // The description of the sound and the seek table are kept.
    if ((kind & 0x7f) !== 0 && (kind & 0x7f) !== 3) {
      bytes[at] = (kind & 0x80) | 1;
      bytes.fill(0, at + 4, Math.min(end, bytes.length));
    }
    at = end;
  }
  return at;
}
