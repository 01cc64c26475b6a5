import { randomInt } from 'node:crypto';
import type { Call, Input, OperationName, Output } from '../../../contract/operations.ts';
import { type JsonTemplate, ownFields, type Value } from '../../shared-answer.ts';

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
/** Calls an operation for the reader of a page: what they share with others, and the values of their own fields. */
export type Ask = <Name extends OperationName>(
  name: Name,
  input: Input<Name>,
) => Promise<{ template: JsonTemplate; values: readonly Value[] }>;

/** The answers that one reader of a page gets: the part that others share, and the values of the marks. */
export class ReaderAnswers {
  readonly #ask: Ask;
  readonly asked: Asked[] = [];
  readonly #digests: string[] = [];
  readonly values: Value[] = [];
  #isShareable = true;

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  /** A name of the shared part; undefined if the page is for one reader only. */
  get shared(): string | undefined {
    return this.#isShareable ? this.#digests.join() : undefined;
  }

  /**
   * Calls an operation. Returns the shared part of its answer, and the number of its first mark. Throws what the operation
   * throws.
   */
  async ask<Name extends OperationName>(name: Name, input: Input<Name>) {
    const place = this.asked.length;
    const first = place * marksPerCall;
    this.asked.push({ name, input } as Asked);
    // A page that calls any other operation is made for one reader only.
    if (ownFields[name] === undefined || place >= mostCalls) this.#isShareable = false;
    try {
      const { template, values } = await this.#ask(name, input);
      if (values.length > marksPerCall) this.#isShareable = false;
      this.#digests[place] = template.digest;
      for (const [index, value] of values.entries()) this.values[first + index] = value;
      return { template, first };
    } catch (error) {
      this.#isShareable = false;
      throw error;
    }
  }

  /** The call function for the web app. The answer has been checked against the contract; it holds marks, rendered as they are. */
  readonly call: Call = async <Name extends OperationName>(name: Name, input: Input<Name>) => {
    const { template, first } = await this.ask(name, input);
    const answer: Output<Name> = JSON.parse(
      template.write(index => secret + String(first + index).padStart(3, '0')),
    );
    return answer;
  };
}
