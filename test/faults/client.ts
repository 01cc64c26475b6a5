import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Input, OperationName, Output } from '../../contract/operations.ts';
import { adminPassword } from '../e2e/site.ts';

/** What came back: the result, or the status and message of a refusal; null when nobody answered. */
export type Answer<T> = { result: T } | { status: number; message: string } | null;

/** A program that asks the running server, with a session of its own. */
export class Client {
  readonly #url: string;
  #token = '';

  constructor(url: string) {
    this.#url = url;
  }

  async signIn(email: string, password = adminPassword): Promise<void> {
    const response = await this.#send('signIn', { email, password });
    assert.equal(response.status, 200, await response.text());
    this.#token = response.headers.get('set-auth-token') ?? '';
  }

  /** The same person, who asks another process. */
  at(url: string): Client {
    const client = new Client(url);
    client.#token = this.#token;
    return client;
  }

  /** The header by which the server knows this program. */
  get credentials(): Record<string, string> {
    return this.#token === '' ? {} : { authorization: `Bearer ${this.#token}` };
  }

  async ask<Name extends OperationName>(name: Name, input: Input<Name>): Promise<Answer<Output<Name>>> {
    try {
      const response = await this.#send(name, input);
      const { result, error } = await response.json();
      return error === undefined ? { result } : { status: response.status, message: error.message };
    } catch (error) {
      // Nobody there, or gone in the middle of an answer: what a killed server looks like.
      if (error instanceof TypeError || error instanceof SyntaxError) return null;
      throw error;
    }
  }

  /** As `ask`, but a healthy server is asked again after "too many". */
  async askPatiently<Name extends OperationName>(
    name: Name,
    input: Input<Name>,
  ): Promise<NonNullable<Answer<Output<Name>>>> {
    for (;;) {
      const answer = await this.ask(name, input);
      assert.ok(answer !== null, `${name}: nobody answered.`);
      if ('result' in answer || answer.status !== 429) return answer;
      await sleep(1_000);
    }
  }

  /** The answer of a healthy server. Throws when it refuses. */
  async result<Name extends OperationName>(name: Name, input: Input<Name>): Promise<Output<Name>> {
    const answer = await this.askPatiently(name, input);
    assert.ok('result' in answer, `${name}: ${'message' in answer && answer.message}`);
    return answer.result;
  }

  /**
   * The answer; undefined when the server refused, or was not there to answer. Throws for a fault of ours.
   */
  async call<Name extends OperationName>(name: Name, input: Input<Name>): Promise<Output<Name> | undefined> {
    const answer = await this.ask(name, input);
    if (answer === null) return undefined;
    if ('result' in answer) return answer.result;
    // A limit or a conflict is an answer; an error inside is not.
    assert.ok(answer.status < 500 || answer.status === 503, `${name}: ${answer.status} ${answer.message}`);
    return undefined;
  }

  #send(name: string, data: unknown): Promise<Response> {
    return fetch(`${this.#url}/api/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...this.credentials },
      body: JSON.stringify({ data }),
    });
  }
}
