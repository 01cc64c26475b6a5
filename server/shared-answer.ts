import { randomInt } from 'node:crypto';
import type { OperationName } from '../contract/operations.ts';
import { digestOf } from './secrets.ts';

/** A value that differs between readers of the same answer. */
export type Value = string | number | boolean;

/**
 * By operation, the fields that differ between readers of the same answer or change with every like: their own account,
 * their own likes, the counts.
 */
export const ownFields: { [Name in OperationName]?: ReadonlySet<string> } = {
  getPosts: new Set(['likeCount', 'commentCount', 'isLiked']),
  getPost: new Set(['likeCount', 'commentCount', 'isLiked']),
  getViewer: new Set(['id', 'username', 'name', 'email', 'rights']),
  getTags: new Set(),
  getSettings: new Set(),
};

/**
 * The answer of a handler that readers share, but for their own fields. `shared` is the same object for all of them, so
 * that it is checked and written as JSON only once.
 */
export class SharedAnswer<Shared extends object> {
  readonly shared: Shared;
  /** The own fields of each object that has any, in the order of the answer. They replace those of `shared`. */
  readonly own: readonly Readonly<Record<string, Value>>[];

  constructor(shared: Shared, own: SharedAnswer<Shared>['own']) {
    this.shared = shared;
    this.own = own;
  }
}

/** What is written in the place of a value before the JSON is cut there: a secret, so nobody can write it into a post. */
const hole = 10 ** 15 + randomInt(2 ** 47);
/** The object is one of those with own fields, counted in the order of the answer. */
type Place = { object: number; field: string };

/** The JSON of an answer without the values of its own fields, ready to be filled in for one reader after another. */
export class JsonTemplate {
  /** The JSON between the values. */
  readonly #texts: readonly string[];
  readonly #places: readonly Place[];
  /** The values of the answer that this was made from, in order. */
  readonly values: readonly Value[];
  #digest: string | undefined;

  constructor(answer: unknown, fields: ReadonlySet<string> = new Set()) {
    const places: Place[] = [];
    const values: Value[] = [];
    let objects = 0;
    // A replacer of `JSON.stringify` would take three times as long.
    const withHoles = (part: unknown): unknown => {
      if (Array.isArray(part)) return part.map(withHoles);
      if (typeof part !== 'object' || part === null) return part;
      const copy: Record<string, unknown> = {};
      let object: number | undefined;
      for (const [field, value] of Object.entries(part)) {
        if (fields.has(field) && isValue(value)) {
          object ??= objects++;
          places.push({ object, field });
          values.push(value);
          copy[field] = typeof value === 'string' ? String(hole) : hole;
        } else {
          copy[field] = withHoles(value);
        }
      }
      return copy;
    };
    this.#texts = JSON.stringify(withHoles(answer)).split(String(hole));
    this.#places = places;
    this.values = values;
  }

  /** A digest of the JSON without the values. */
  get digest(): string {
    this.#digest ??= digestOf(this.#texts.join('\0'));
    return this.#digest;
  }

  /** The values of a shared answer, in order. */
  valuesOf({ own }: SharedAnswer<object>): Value[] {
    return this.#places.map(({ object, field }) => {
      const value = own[object]?.[field];
      if (value === undefined) throw new Error(`An answer has no ${field} for its reader.`);
      return value;
    });
  }

  /** The JSON with these values. */
  fill(values: readonly Value[]): string {
    return this.write(index => jsonOf(values[index] ?? ''));
  }

  /** The JSON with what `written` returns for each value by its number. Quotes are already around texts. */
  write(written: (index: number) => string): string {
    return this.#texts.reduce((json, text, index) => json + written(index - 1) + text);
  }
}

function isValue(value: unknown): value is Value {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function jsonOf(value: Value): string {
  return typeof value === 'string' ? JSON.stringify(value).slice(1, -1) : String(value);
}
