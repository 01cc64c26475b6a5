import { storableTime } from '../../../base/written-date.ts';

/** Fields of a document, whichever tool wrote the dump. A value of another type counts as missing. */

export function textField(fields: Record<string, unknown>, ...names: string[]): string | undefined {
  const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';
  return names.map(name => fieldOf(fields, name)).find(isText);
}

export function listField(fields: Record<string, unknown>, name: string): unknown[] | undefined {
  const value = fieldOf(fields, name);
  return Array.isArray(value) ? value : undefined;
}

/** Every text of a list, empty ones included: a tag without a name is a tag. */
export function stringsIn(list: unknown[] | undefined): string[] {
  return (list ?? []).flatMap(value => (typeof value === 'string' ? value : []));
}

export function fieldOf(fields: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

export function recordOf(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

/**
 * A time in milliseconds: Firestore's, as the SDKs and the common tools write it
 * (`{ _seconds, _nanoseconds }`, `{ seconds, nanoseconds }`, `{ __datatype__: 'timestamp', value }`), ISO
 * text, or a number of milliseconds.
 */
export function timeField(fields: Record<string, unknown>, ...names: string[]): number | undefined {
  return names.map(name => timeOf(fieldOf(fields, name))).find(time => time !== undefined);
}

function timeOf(value: unknown): number | undefined {
  if (typeof value === 'number') return storableTime(value);
  if (typeof value === 'string')
    return storableTime(/^\d{12,13}$/.test(value) ? Number(value) : Date.parse(value));
  const record = recordOf(value);
  if (record === undefined) return undefined;
  if ('__datatype__' in record) return timeOf(record.value);
  const seconds = record._seconds ?? record.seconds;
  const nanoseconds = record._nanoseconds ?? record.nanoseconds ?? 0;
  if (typeof seconds !== 'number' || typeof nanoseconds !== 'number') return undefined;
  return storableTime(seconds * 1_000 + Math.floor(nanoseconds / 1_000_000));
}
