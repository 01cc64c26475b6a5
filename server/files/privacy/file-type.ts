import type { Editor } from './blank.ts';
import { boxAt } from './boxes.ts';
import { headBytes, typeOfBytes, unknownType } from './type.ts';

/** The most boxes that are read in search of an index; each takes a read of the file. */
const maxBoxes = 1_000;
/** The indexes of a whole video and of a fragment. */
const indexes: ReadonlySet<string> = new Set(['moov', 'moof']);

/**
 * The media type told by a file's bytes: those at its start or, as a video may begin with any box, those that
 * its boxes lead to.
 */
export async function typeOfFile(file: Pick<Editor, 'size' | 'read'>): Promise<string> {
  const head = await file.read(0, headBytes);
  const type = typeOfBytes(head);
  return type === unknownType && (await isMovie(head, file)) ? 'video/quicktime' : type;
}

/** Whether a chain of boxes leads from the first byte to an index. */
async function isMovie(head: Buffer, { size, read }: Pick<Editor, 'size' | 'read'>): Promise<boolean> {
  let at = 0;
  for (let boxes = 0; boxes < maxBoxes && at + 8 <= size; boxes += 1) {
    const isNear = at + 16 <= head.length || head.length === size;
    const box = boxAt(isNear ? head.subarray(at, at + 16) : await read(at, 16), 0, size - at);
    if (box === undefined) return false;
    // Four letters of a text would be a length beyond its end.
    if (indexes.has(box.type)) return at > 0 || box.end < size;
    at += box.end;
  }
  return false;
}
