import { randomInt } from 'node:crypto';
import type { Call, Input, OperationName, Output } from '../../../contract/operations.ts';

/** The value that one reader is shown in place of a mark. */
export type Value = string | number | boolean;

/**
 * By operation, the fields that differ between readers of the same page or change with every like: their own account,
 * their own likes, the counts. A page that calls any other operation is made for one reader only.
 */
const markedFields: { [Name in OperationName]?: ReadonlySet<string> } = {
  getPosts: new Set(['likeCount', 'commentCount', 'isLiked']),
  getPost: new Set(['likeCount', 'commentCount', 'isLiked']),
  getViewer: new Set(['id', 'username', 'name', 'email', 'rights']),
  getTags: new Set(),
  getSettings: new Set(),
};

/**
 * A mark is a number of sixteen digits. Thirteen of them are a secret of this process, so nobody can write one into a
 * post. It looks the same in a text, in an attribute and in JSON.
 */
const secret = String(10 ** 12 + randomInt(7 * 10 ** 12));
const marksPerCall = 100;
const mostCalls = 10;
/** Finds marks, each with its number, and with the noun if it counts something and a noun follows. */
export const marks = new RegExp(`${secret}(\\d{3})(?: (like|comment)s\\b)?`, 'g');

export type Asked = { [Name in OperationName]: { name: Name; input: Input<Name> } }[OperationName];

/** The answers that one reader of a page gets: the part that others share, and the values of the marks. */
export class ReaderAnswers {
  readonly #call: Call;
  readonly asked: Asked[] = [];
  readonly #shared: string[] = [];
  readonly values: Value[] = [];
  #isShareable = true;

  constructor(call: Call) {
    this.#call = call;
  }

  /** The shared part; undefined if the page is for one reader only. */
  get shared(): string | undefined {
    return this.#isShareable ? this.#shared.join('\n') : undefined;
  }

  /** Calls an operation, and returns the answer as JSON with marks. Throws what the operation throws. */
  async ask<Name extends OperationName>(name: Name, input: Input<Name>): Promise<string> {
    const fields = markedFields[name];
    const place = this.asked.length;
    this.asked.push({ name, input } as Asked);
    if (fields === undefined || place >= mostCalls) this.#isShareable = false;
    let next = place * marksPerCall;
    try {
      const answer = await this.#call(name, input);
      const text = JSON.stringify(
        withMarks(answer, fields ?? none, value => {
          const mark = secret + String(next).padStart(3, '0');
          this.values[next] = value;
          next += 1;
          return typeof value === 'string' ? mark : Number(mark);
        }),
      );
      if (next > (place + 1) * marksPerCall) this.#isShareable = false;
      this.#shared[place] = text;
      return text;
    } catch (error) {
      this.#isShareable = false;
      throw error;
    }
  }

  /**
   * The call function for the web app. `invoke` has checked the answer against the contract; the marks are put in
   * afterwards, and rendered as they are.
   */
  readonly call: Call = async <Name extends OperationName>(name: Name, input: Input<Name>) => {
    const answer: Output<Name> = JSON.parse(await this.ask(name, input));
    return answer;
  };
}

const none: ReadonlySet<string> = new Set();

/**
 * A copy of an answer with marks in the fields of these names. A replacer of `JSON.stringify` would take three times as
 * long.
 */
function withMarks(answer: unknown, fields: ReadonlySet<string>, mark: (value: Value) => Value): unknown {
  if (Array.isArray(answer)) return answer.map(item => withMarks(item, fields, mark));
  if (typeof answer !== 'object' || answer === null) return answer;
  const copy: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(answer)) {
    copy[field] = fields.has(field) && isValue(value) ? mark(value) : withMarks(value, fields, mark);
  }
  return copy;
}

function isValue(value: unknown): value is Value {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
