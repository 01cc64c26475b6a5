import { JSONParser } from '@streamparser/json';
import type { z } from 'zod';
import { AppError } from '../../../contract/errors.ts';

/** The largest item, in bytes as written: a whole post with its comments, in every source that we know. */
const maxItemBytes = 64 * 1024 * 1024;

export type JsonItem = { path: (string | number)[]; value: unknown };

/**
 * The values at these paths (`$.users.*`) of a JSON file of any length, one after another, each with its
 * position. Throws invalid-argument for invalid JSON, and for an item that is too large.
 */
export async function* readJsonItems(
  bytes: AsyncIterable<Uint8Array>,
  paths: readonly string[],
): AsyncGenerator<JsonItem> {
  let found: JsonItem[] = [];
  const parser = new JSONParser({ paths: [...paths], keepStack: false });
  parser.onValue = ({ value, key, stack }) => {
    const above = stack.flatMap(entry => entry.key ?? []);
    found.push({ path: [...above, ...(key === undefined ? [] : [key])], value });
  };
  let since = 0;
  try {
    for await (const chunk of bytes) {
      parser.write(chunk);
      since = found.length > 0 ? 0 : since + chunk.length;
      if (since > maxItemBytes) throw new AppError('invalid-argument', 'An item in it is larger than 64 MB.');
      yield* found;
      found = [];
    }
    if (!parser.isEnded) throw new Error('it ends too soon');
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError('invalid-argument', `It is not whole JSON: ${(error as Error).message}.`);
  }
  yield* found;
}

/** The values at a path that match a schema; others are skipped. Throws as {@link readJsonItems} does. */
export async function* readJsonRecords<Schema extends z.ZodType>(
  bytes: AsyncIterable<Uint8Array>,
  path: string,
  schema: Schema,
): AsyncGenerator<z.output<Schema>> {
  for await (const { value } of readJsonItems(bytes, [path])) {
    const known = schema.safeParse(value);
    if (known.success) yield known.data;
  }
}
