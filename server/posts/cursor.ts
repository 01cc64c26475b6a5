import { AppError } from '../../contract/errors.ts';

/** The place after a row in a list sorted by a time and then by id, both descending. */
export type Cursor = { sortedAt: number; id: string };

export function encodeCursor({ sortedAt, id }: Cursor): string {
  return `${sortedAt.toString(36)}.${id}`;
}

/** Throws invalid-argument for a text that `encodeCursor` did not make. */
export function decodeCursor(text: string): Cursor {
  const [, time, id] = /^(-?[0-9a-z]{1,11})\.([A-Za-z0-9_-]{1,64})$/.exec(text) ?? [];
  const sortedAt = Number.parseInt(time ?? '', 36);
  if (id === undefined || !Number.isSafeInteger(sortedAt)) {
    throw new AppError('invalid-argument', 'This is not the cursor of a page.');
  }
  return { sortedAt, id };
}
