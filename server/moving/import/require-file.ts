import { stat } from 'node:fs/promises';
import { AppError } from '../../../contract/errors.ts';

/** Throws not-found if there is no file at a path. */
export async function requireFile(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (!found?.isFile()) throw new AppError('not-found', `There is no file ${path}.`);
}
