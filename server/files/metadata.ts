import { basename } from 'node:path';
import { z } from 'zod';
import { AppError } from '../../contract/errors.ts';

/** At most this much is kept of what a program wants to be told back, in characters of JSON. */
const maxCharacters = 16_384;

const line = z
  .string()
  .max(1_024)
  .regex(/^[^\p{Cc}]*$/u);
const kept = {
  cacheControl: line,
  contentDisposition: line,
  contentEncoding: line,
  contentLanguage: line,
};
const Custom = z.record(z.string().min(1).max(256), z.string().max(8_192).nullable());

const Sent = z.object({
  ...Object.fromEntries(Object.entries(kept).map(([name, schema]) => [name, schema.nullish()])),
  contentType: line.nullish(),
  md5Hash: z
    .string()
    .regex(/^[A-Za-z0-9+/]{22}==$/)
    .nullish(),
  metadata: Custom.nullish(),
});

/** What a program says about its file: told back, and otherwise without effect on how the file is served. */
export type OwnMetadata = {
  cacheControl?: string;
  contentDisposition?: string;
  contentEncoding?: string;
  contentLanguage?: string;
  metadata?: Record<string, string>;
  md5Hash?: string;
};

/**
 * What a file is called where people see it: as `name` in its owner's own metadata says, as the editor does, else as the
 * last part of its path without the time before it. Never a path, and nothing that cannot be shown.
 */
export function shownName(path: string, { metadata }: OwnMetadata): string {
  const said = metadata?.name?.toWellFormed().split(/[\\/]/).at(-1) ?? '';
  const shown = said.replaceAll(/\p{C}/gu, '').trim().slice(-200).toWellFormed();
  return shown || basename(path).replace(/^\d{10,}_/, '');
}

/** The metadata of a request; `null` in a field clears it. Unknown fields are left out. Throws invalid-argument. */
export function parseMetadata(
  json: string,
  before: OwnMetadata = {},
): { metadata: OwnMetadata; contentType: string | null | undefined } {
  const sent = parse(json);
  const { contentType, ...fields } = sent;
  const metadata: Record<string, unknown> = { ...before };
  for (const [name, value] of Object.entries(fields)) {
    if (value === null) delete metadata[name];
    else if (name === 'metadata')
      metadata.metadata = merged(before.metadata, value as Record<string, string | null>);
    else if (value !== undefined) metadata[name] = value;
  }
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

function merged(
  before: Record<string, string> = {},
  sent: Record<string, string | null>,
): Record<string, string> {
  // A name such as `__proto__` is a name like any other here.
  const names = new Map<string, string | null>([...Object.entries(before), ...Object.entries(sent)]);
  return Object.fromEntries([...names].flatMap(([name, value]) => (value === null ? [] : [[name, value]])));
}
