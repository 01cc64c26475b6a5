import { AppError } from '../../contract/errors.ts';
import { isOutage } from '../db/outage.ts';
import type { Refused } from './draft.ts';

/** Whether an error is about an item or a file of the source; its message is a reason for the report. An outage ends the import. */
export function isAboutSource(error: unknown): error is Error {
  if (isOutage(error)) return false;
  return error instanceof AppError || (error instanceof Error && 'syscall' in error && 'path' in error);
}

/** What `read` returns; for an item that cannot be imported, which it throws, that item with the reason. */
export async function orRefused<Item>(id: string, read: () => Item | Promise<Item>): Promise<Item | Refused> {
  try {
    return await read();
  } catch (error) {
    if (!isAboutSource(error)) throw error;
    return { kind: 'refused', id, reason: error.message };
  }
}
