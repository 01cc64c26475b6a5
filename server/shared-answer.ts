import { randomInt } from 'node:crypto';

/** A value that differs between readers of the same answer. */
export type Value = string | number | boolean;

/**
 * An answer that readers share, except for their own fields (`ownFields` in the contract). `shared` is the
 * same object for all of them, so it is checked and written as JSON only once.
 */
export class SharedAnswer<Shared extends object> {
  readonly shared: Shared;
  /**
   * The own fields of each object that has any, in the order of the answer. They replace those of `shared`.
   */
  readonly own: readonly Readonly<Record<string, Value>>[];

  constructor(shared: Shared, own: SharedAnswer<Shared>['own']) {
    this.shared = shared;
    this.own = own;
  }
}

/** Stands for a value before the JSON is cut there: a secret, so that nobody can write it into a post. */
const placeholder = 10 ** 15 + randomInt(2 ** 47);
/** `object` is the index among the objects that have own fields, in document order. */
type Place = { object: number; field: string };

/** The JSON of a shared answer, to be filled in with the own fields of each reader. */
export class AnswerTemplate {
  /** The JSON between the values. */
  readonly #texts: readonly string[];
  readonly #places: readonly Place[];

  /** `answer` has been checked against the contract. */
  constructor(answer: unknown, ownFields: ReadonlySet<string>) {
    const places: Place[] = [];
    let objects = 0;
    // A replacer of `JSON.stringify` would take three times as long.
    const withPlaceholders = (part: unknown): unknown => {
      if (Array.isArray(part)) return part.map(withPlaceholders);
      if (typeof part !== 'object' || part === null) return part;
      const copy: Record<string, unknown> = {};
      let object: number | undefined;
      for (const [field, value] of Object.entries(part)) {
        if (ownFields.has(field)) {
          object ??= objects++;
          places.push({ object, field });
          copy[field] = placeholder;
        } else {
          copy[field] = withPlaceholders(value);
        }
      }
      return copy;
    };
    this.#texts = JSON.stringify(withPlaceholders(answer)).split(String(placeholder));
    this.#places = places;
  }

  /** The JSON for the reader with these own fields. */
  fill({ own }: SharedAnswer<object>): string {
    let json = this.#texts[0] ?? '';
    for (const [index, { object, field }] of this.#places.entries()) {
      const value = own[object]?.[field];
      if (value === undefined) throw new Error(`An answer has no ${field} for its reader.`);
      json += JSON.stringify(value) + this.#texts[index + 1];
    }
    return json;
  }
}
