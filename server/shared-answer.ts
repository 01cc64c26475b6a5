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

/** A shared answer, to be filled in with the own fields of each reader. */
export class AnswerTemplate<Answer> {
  readonly #answer: Answer;
  readonly #ownFields: ReadonlySet<string>;
  /** Where the own fields are in its JSON, and the JSON between them. */
  #json: { places: readonly Place[]; texts: readonly string[] } | undefined;

  /** `answer` has been checked against the contract. */
  constructor(answer: Answer, ownFields: ReadonlySet<string>) {
    this.#answer = answer;
    this.#ownFields = ownFields;
  }

  /** A copy for the reader with these own fields, which the caller may change. */
  copyFor({ own }: SharedAnswer<object>): Answer {
    return this.#copied(place => valueAt(own, place));
  }

  /** The JSON for the reader with these own fields. */
  fill({ own }: SharedAnswer<object>): string {
    this.#json ??= this.#written();
    const { places, texts } = this.#json;
    let json = texts[0] ?? '';
    for (const [index, place] of places.entries())
      json += JSON.stringify(valueAt(own, place)) + texts[index + 1];
    return json;
  }

  #written() {
    const places: Place[] = [];
    // A replacer of `JSON.stringify` would take three times as long.
    const copy = this.#copied(place => {
      places.push(place);
      return placeholder;
    });
    return { places, texts: JSON.stringify(copy).split(String(placeholder)) };
  }

  /** A copy with these values as its own fields. */
  #copied(ownValue: (place: Place) => Value): Answer {
    let objects = 0;
    const copyOf = (part: unknown): unknown => {
      if (Array.isArray(part)) return part.map(copyOf);
      if (typeof part !== 'object' || part === null) return part;
      const copy: Record<string, unknown> = {};
      let object: number | undefined;
      for (const [field, value] of Object.entries(part)) {
        if (this.#ownFields.has(field)) {
          object ??= objects++;
          copy[field] = ownValue({ object, field });
        } else if (value !== undefined) {
          copy[field] = copyOf(value);
        }
      }
      return copy;
    };
    return copyOf(this.#answer) as Answer;
  }
}

function valueAt(own: SharedAnswer<object>['own'], { object, field }: Place): Value {
  const value = own[object]?.[field];
  if (value === undefined) throw new Error(`An answer has no ${field} for its reader.`);
  return value;
}
