import { AppError } from '../../../contract/errors.ts';

/** No drawing is larger, received or cleaned; a larger file contains photos. Bytes. */
export const maxMib = 16;
export const maxBytes = maxMib * 1024 * 1024;
/** How much of a drawing is read before the memory is looked at (media-process.ts). Characters. */
export const pieceLength = 64 * 1024;

export function tooLarge(): AppError {
  return new AppError(
    'out-of-range',
    `With everything that it refers to, this drawing (SVG) has more than ${maxMib} MB. Please save it again as plain SVG, or as PNG.`,
  );
}

/** The written drawing. Throws out-of-range if it becomes too large. */
export class Output {
  readonly #written: Buffer[] = [];
  /** The next piece: many short strings would take twenty times its size. */
  #next = '';
  /** Bytes so far. */
  #size = 0;

  add(written: string): void {
    this.#next += written;
    if (this.#next.length >= pieceLength) this.#keep();
  }

  #keep(): void {
    // A character has at least one byte.
    if (this.#size + this.#next.length > maxBytes) throw tooLarge();
    const bytes = Buffer.from(this.#next);
    this.#size += bytes.length;
    if (this.#size > maxBytes) throw tooLarge();
    this.#written.push(bytes);
    this.#next = '';
  }

  end(): Buffer {
    this.#keep();
    return Buffer.concat(this.#written);
  }
}
