import { randomInt } from 'node:crypto';
import type { Call, Input, OperationName, Output } from '../../../contract/operations.ts';

/** What one reader is told in the place of a mark. */
export type Value = string | number | boolean;

/**
 * What differs between readers of the same page, and what changes with every like, by operation: their own account, their
 * own likes, the counts. A page that asks any other operation is made for its reader alone.
 */
const markedFields: { [Name in OperationName]?: ReadonlySet<string> } = {
  getPosts: new Set(['likeCount', 'commentCount', 'isLiked']),
  getPost: new Set(['likeCount', 'commentCount', 'isLiked']),
  getViewer: new Set(['id', 'username', 'name', 'email', 'rights']),
  getTags: new Set(),
  getSettings: new Set(),
};

/**
 * A mark is a number of sixteen digits, of which thirteen are this process's secret: nobody can write one into a post. A
 * text, an attribute and JSON all show it as it is.
 */
const secret = String(10 ** 12 + randomInt(7 * 10 ** 12));
const marksPerCall = 100;
const mostCalls = 10;
/** Finds marks, each with its number, and with what it counts where words follow it. */
export const marks = new RegExp(`${secret}(\\d{3})(?: (like|comment)s\\b)?`, 'g');

export type Asked = { [Name in OperationName]: { name: Name; input: Input<Name> } }[OperationName];

/** The answers to one reader of a page: what is the same for others, and what stands in the places of the marks. */
export class ReaderAnswers {
  readonly #call: Call;
  readonly asked: Asked[] = [];
  readonly #shared: string[] = [];
  readonly values: Value[] = [];
  #isShareable = true;

  constructor(call: Call) {
    this.#call = call;
  }

  /** Undefined where the page is its reader's alone. */
  get shared(): string | undefined {
    return this.#isShareable ? this.#shared.join('\n') : undefined;
  }

  /** Asks, and returns the answer as JSON with marks. Throws what the operation throws. */
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

  /** As the web app calls. What `invoke` parsed against the contract has marks in it here, which render as they are. */
  readonly call: Call = async <Name extends OperationName>(name: Name, input: Input<Name>) => {
    const answer: Output<Name> = JSON.parse(await this.ask(name, input));
    return answer;
  };
}

const none: ReadonlySet<string> = new Set();

/** A copy of an answer with marks in its fields of these names. Done before it is written: a replacer takes thrice as long. */
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
