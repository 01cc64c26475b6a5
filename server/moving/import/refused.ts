import { AppError } from '../../../contract/errors.ts';
import { oneLine } from '../../../contract/text.ts';
import { isOutage } from '../../db/outage.ts';
import type { Refused } from './draft.ts';

/**
 * Whether an error is about an item or a file of the source; its message is a reason for the report. An
 * outage ends the import.
 */
export function isAboutSource(error: unknown): error is Error {
  if (isOutage(error)) return false;
  return error instanceof AppError || (error instanceof Error && 'syscall' in error && 'path' in error);
}

/**
 * Why an item is left out because of an error in its source, or an unforeseen one: a mistake in this program
 * must not end the import for a single post. Rethrows an outage and an abort, which are not about the item.
 */
export function reasonOf(error: unknown): string {
  if (isAboutSource(error)) return error.message;
  if (isOutage(error) || (error instanceof Error && error.name === 'AbortError')) throw error;
  const message = error instanceof Error ? error.message : String(error);
  return `it could not be imported because of an error that was not foreseen (${oneLine(message)})`;
}

/** The result of `read`; if it throws because an item cannot be imported, that item with the reason. */
export async function orRefused<Item>(id: string, read: () => Item | Promise<Item>): Promise<Item | Refused> {
  try {
    return await read();
  } catch (error) {
    return { kind: 'refused', id, reason: reasonOf(error) };
  }
}
