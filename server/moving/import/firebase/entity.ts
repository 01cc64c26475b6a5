import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { AppError } from '../../../../contract/errors.ts';

/** A document of Firestore: its path (`posts/abc/comments/def`) and its content, as plain JSON values. */
export type Document = {
  path: string;
  fields: Record<string, unknown>;
  /** The id of its Firebase project, if the export has it. */
  project?: string;
};

/** Field numbers of the messages in an export (Datastore's EntityProto, in which Firestore writes). */
const entity = { key: 13, property: 14, rawProperty: 15 };
const reference = { app: 13, path: 14 };
/** An element of a path, in a document's key, and in a value that refers to a document. */
const element = { group: 1, type: 2, id: 3, name: 4 };
const valueElement: ElementFields = { group: 14, type: 15, id: 16, name: 17 };
type ElementFields = typeof element;
const property = { meaning: 1, name: 3, isMultiple: 4, value: 5 };
const value = { integer: 1, boolean: 2, text: 3, double: 4, point: 5, reference: 12 };
/** The meaning of a value besides its type. */
const meanings = { time: 7, entity: 19, emptyList: 24 };
/** The deepest nesting of maps; Firestore allows 20. */
const maxDepth = 32;

type Property = { name: string; value: unknown; isMultiple: boolean; isEmptyList: boolean };

/**
 * Reads one record of a managed export. Times become `{ _seconds, _nanoseconds }`, as the other tools write
 * them. Throws data-loss for bytes that are not a document.
 */
export function readEntity(bytes: Uint8Array): Document {
  try {
    return readDocument(bytes, 0);
  } catch (error) {
    if (error instanceof AppError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new AppError('invalid-argument', `A record is no document of Firestore: ${reason}.`);
  }
}

function readDocument(bytes: Uint8Array, depth: number): Document {
  if (depth > maxDepth) throw new Error('its maps are nested too deeply');
  const reader = new BinaryReader(bytes);
  let key: { path: string; project: string } | undefined;
  const properties: Property[] = [];
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (field === entity.key) key = readKey(reader.bytes());
    else if (field === entity.property || field === entity.rawProperty)
      properties.push(readProperty(reader.bytes(), depth));
    else reader.skip(type, field);
  }
  return { path: '', ...key, fields: fieldsOf(properties) };
}

function readKey(bytes: Uint8Array): { path: string; project: string } {
  const reader = new BinaryReader(bytes);
  let path = '';
  let app = '';
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (field === reference.path) path = readPath(new BinaryReader(reader.bytes()), element);
    else if (field === reference.app) app = reader.string();
    else reader.skip(type, field);
  }
  // After a letter for its location, as in `dev~my-blog`.
  return { path, project: app.replace(/^[a-z]+~/, '') };
}

/** The path of a document, up to the end of its message or group. */
function readPath(reader: BinaryReader, fields: ElementFields): string {
  const segments: string[] = [];
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (type === WireType.EndGroup) break;
    if (field === fields.group && type === WireType.StartGroup) segments.push(...readElement(reader, fields));
    else reader.skip(type, field);
  }
  return segments.join('/');
}

/** A collection and the id of a document in it, up to the end of their group. */
function readElement(reader: BinaryReader, fields: ElementFields): [string, string] {
  let collection = '';
  let id = '';
  for (;;) {
    const [field, type] = reader.tag();
    if (type === WireType.EndGroup) return [collection, id];
    if (field === fields.type) collection = reader.string();
    else if (field === fields.name) id = reader.string();
    // A number instead of a name: Datastore supports these and shows them like this.
    else if (field === fields.id) id = `__id${reader.int64()}__`;
    else reader.skip(type, field);
  }
}

function readProperty(bytes: Uint8Array, depth: number): Property {
  const reader = new BinaryReader(bytes);
  let meaning = 0;
  let name = '';
  let isMultiple = false;
  let found: Uint8Array | undefined;
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (field === property.meaning) meaning = reader.int32();
    else if (field === property.name) name = reader.string();
    else if (field === property.isMultiple) isMultiple = reader.bool();
    else if (field === property.value) found = reader.bytes();
    else reader.skip(type, field);
  }
  const isEmptyList = meaning === meanings.emptyList;
  return { name, isMultiple, isEmptyList, value: found && readValue(found, meaning, depth) };
}

/** Null for a value without any field; undefined for types that no post has (a place, bytes). */
function readValue(bytes: Uint8Array, meaning: number, depth: number): unknown {
  const reader = new BinaryReader(bytes);
  if (reader.len === 0) return null;
  const [field, type] = reader.tag();
  switch (field) {
    case value.integer: {
      const number = Number(reader.int64());
      return meaning === meanings.time ? timeOf(number) : number;
    }
    case value.boolean:
      return reader.bool();
    case value.text:
      return meaning === meanings.entity ? readDocument(reader.bytes(), depth + 1).fields : reader.string();
    case value.double:
      return reader.double();
    case value.reference:
      return type === WireType.StartGroup ? readPath(reader, valueElement) : undefined;
    default:
      return undefined;
  }
}

function fieldsOf(properties: readonly Property[]): Record<string, unknown> {
  const fields = new Map<string, unknown>();
  for (const { name, value: found, isMultiple, isEmptyList } of properties) {
    if (isEmptyList) fields.set(name, []);
    else if (isMultiple) {
      const list = fields.get(name);
      if (Array.isArray(list)) list.push(found);
      else fields.set(name, [found]);
    } else fields.set(name, found);
  }
  // A field may be called __proto__: it becomes an ordinary field.
  return Object.fromEntries(fields);
}

/** From microseconds. */
function timeOf(micros: number): { _seconds: number; _nanoseconds: number } {
  const seconds = Math.floor(micros / 1_000_000);
  return { _seconds: seconds, _nanoseconds: (micros - seconds * 1_000_000) * 1_000 };
}
