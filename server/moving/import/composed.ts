import { cutMarks } from '../../../contract/marks.ts';

/**
 * A name or text in NFC, as macOS decomposes letters. Sorting marks takes time with the square of their
 * number, so endless ones are cut before.
 */
export const composed = (text: string) => cutMarks(text).normalize('NFC');
