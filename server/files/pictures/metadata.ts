import { basename } from 'node:path';
import { z } from 'zod';
import { AppError } from '../../../contract/errors.ts';
import type { StorageMetadata } from '../../../contract/files.ts';

/** The most metadata that is stored for a program, in characters of JSON. */
const maxCharacters = 16_384;

const line = z
  .string()
  .max(1_024)
  .regex(/^[^\p{Cc}]*$/u)
  .nullish();

const Sent = z.object({
  cacheControl: line,
  contentDisposition: line,
  contentEncoding: line,
  contentLanguage: line,
  contentType: line,
  md5Hash: z
    .string()
    .regex(/^[A-Za-z0-9+/]{22}==$/)
    .nullish(),
  metadata: z.record(z.string().min(1).max(256), z.string().max(8_192).nullable()).nullish(),
});

/** Metadata that a program sends about its file: returned to it, without effect on how the file is served. */
export type OwnMetadata = Pick<
  StorageMetadata,
  'cacheControl' | 'contentDisposition' | 'contentEncoding' | 'contentLanguage' | 'metadata' | 'md5Hash'
>;

/**
 * The name of a file for people: `name` in its owner's metadata, as the editor sets it, or else the last part
 * of its path without the time before it. Never a path, and without invisible characters.
 */
export function shownName(path: string, { metadata }: OwnMetadata): string {
  const said = metadata?.name?.toWellFormed().split(/[\\/]/).at(-1) ?? '';
  return visible(said) || visible(basename(path).replace(/^\d{10,}_/, '')) || 'file';
}

const visible = (name: string) => name.replaceAll(/\p{C}/gu, '').trim().slice(-200).toWellFormed();

/**
 * The metadata of a request; `null` in a field clears it. Unknown fields are left out. Throws
 * invalid-argument.
 */
export function parseMetadata(
  json: string,
  before: OwnMetadata = {},
): { metadata: OwnMetadata; contentType: string | null | undefined } {
  const { contentType, ...sent } = parse(json);
  const metadata = merged<string | Record<string, string>>(before, {
    ...sent,
    metadata: sent.metadata && merged(before.metadata, sent.metadata),
  });
  if (JSON.stringify(metadata).length > maxCharacters) {
    throw new AppError('invalid-argument', 'The metadata is too large.');
  }
  return { metadata, contentType };
}

function parse(json: string): z.output<typeof Sent> {
  let value: unknown;
  try {
    value = json.trim() === '' ? {} : JSON.parse(json);
  } catch {
    throw new AppError('invalid-argument', 'The metadata is not valid JSON.');
  }
  const result = Sent.safeParse(value);
  if (!result.success) {
    const field = result.error.issues[0]?.path.join('.') || 'metadata';
    throw new AppError('invalid-argument', `Invalid metadata: ${field}.`);
  }
  return result.data;
}

/** The earlier fields, replaced by those that were sent; `null` clears a field. */
function merged<Value>(
  before: Record<string, Value> = {},
  sent: Record<string, Value | null | undefined>,
): Record<string, Value> {
  // A name such as `__proto__` is an ordinary name here.
  const fields = new Map<string, Value>(Object.entries(before));
  for (const [name, value] of Object.entries(sent)) {
    if (value === null) fields.delete(name);
    else if (value !== undefined) fields.set(name, value);
  }
  return Object.fromEntries(fields);
}
