import { type Expression, type RawBuilder, sql } from 'kysely';

const start = '/files/';
/** Characters of an id (id.ts). */
const idLength = 16;

/**
 * The form of Coterie's keys in a store: an id, possibly with a dot and the rendition or the name of an
 * unfinished write.
 */
const keyForm = new RegExp(`^[\\w-]{${idLength}}(?:\\.[\\w.-]+)?$`);

/** Whether a key in a store may be ours. The store may also hold other data, such as backups. */
export const isKey = (key: string) => keyForm.test(key);

/**
 * Throws for a key that could lead out of the store, into another folder: whatever a row says, only files of
 * the store are read, replaced or removed.
 */
export function requireKey(key: string): string {
  if (!/^[\w-][\w.-]*$/.test(key)) throw new Error(`This is no key of a store: ${JSON.stringify(key)}.`);
  return key;
}

/** The form of a file's address, for patterns; its one group is the id. */
export const fileAddressForm = `${start}([\\w-]{${idLength}})(?:/[\\w.]*)?`;
const onlyAddress = new RegExp(`^${fileAddressForm}$`);
const anyAddress = new RegExp(`${start}([\\w-]{${idLength}})(?![\\w-])`, 'g');

/**
 * The address of a file, which contains no secret (decision 22). The name is for people, and for the rule
 * that a player's address ends in .mp4; only the id counts.
 */
export function fileAddress(id: string, name?: string): string {
  return name === undefined ? start + id : `${start}${id}/${safeName(name)}`;
}

/**
 * An upload's file name: anything but letters, digits and dots becomes an underscore (specification section
 * 5).
 */
function safeName(name: string): string {
  return name.slice(-100).replaceAll(/[^A-Za-z0-9.]/g, '_');
}

/** The id of the file whose address this is. Undefined for every other text. */
export function fileIdAt(address: string): string | undefined {
  return onlyAddress.exec(address)?.[1];
}

export function fileIdsIn(text: string): string[] {
  return [...text.matchAll(anyAddress)].map(match => match[1] ?? '');
}

/** The id in a column that holds a file's address; for any other address a value that is no file's id. */
export function fileIdOf(address: Expression<string>): RawBuilder<string> {
  return sql<string>`substr(${address}, ${sql.lit(start.length + 1)}, ${sql.lit(idLength)})`;
}
