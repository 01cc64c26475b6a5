import { Worker } from 'node:worker_threads';
import { AppError, type ErrorCode } from '../../contract/errors.ts';
import { timeLimitOf, tooComplex } from './bounds.ts';

export type TextRequest<Options> = { id: number; text: string; options: Options };
/** A message of a worker: `ready` once it is loaded, then an answer for each text. */
export type TextMessage<Result> = 'ready' | TextAnswer<Result>;
export type TextAnswer<Result> = { id: number } & (
  | { result: Result }
  | { refusal: { code: ErrorCode; message: string } }
  | { error: unknown }
);

/** The most texts of one person in the worker and its queue. */
const mostOfOne = 20;
/** A worker takes some 40 MB, and ends after it was idle this long. Milliseconds. */
const idleMs = 60_000;

type Waiting<Options, Result> = {
  request: TextRequest<Options>;
  by: string | undefined;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
};

/**
 * One worker thread (text-program.ts), started for the first text and again after it has ended.
 */
export class TextWorker<Options, Result> {
  readonly #program: URL;
  readonly #limitOf: (text: string) => number;
  #worker: Worker | undefined;
  /** Whether the worker is loaded: until then, the elapsed time is not the text's fault. */
  #isReady = false;
  /** The waiting texts, and the one under way. */
  readonly #waiting = new Map<number, Waiting<Options, Result>>();
  #current: Waiting<Options, Result> | undefined;
  /** Whose text was the last one. */
  #lastBy: string | undefined;
  #lastId = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(program: URL, limitOf = timeLimitOf) {
    this.#program = program;
    this.#limitOf = limitOf;
  }

  /** `by` is the id of the person who waits for the text, with whom others take turns. */
  run(text: string, options: Options, by?: string): Promise<Result> {
    if (this.#waitingOf(by).length >= mostOfOne) return Promise.reject(tooManyTexts());
    this.#lastId += 1;
    const request = { id: this.#lastId, text, options };
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    this.#waiting.set(request.id, { request, by, resolve, reject });
    this.#sendNext();
    return promise;
  }

  /** Whether a text of this person is in the worker or its queue. */
  hasTextOf(by: string | undefined): boolean {
    return this.#waitingOf(by).length > 0;
  }

  /** The texts of one person; none for a text without one. */
  #waitingOf(by: string | undefined): Waiting<Options, Result>[] {
    if (by === undefined) return [];
    return [...this.#waiting.values()].filter(waiting => waiting.by === by);
  }

  /** Gives the worker the next text, if it is idle. Whoever had the last turn comes after everybody else. */
  #sendNext(): void {
    if (this.#current !== undefined) return;
    for (const waiting of this.#waitingOf(this.#lastBy)) {
      this.#waiting.delete(waiting.request.id);
      this.#waiting.set(waiting.request.id, waiting);
    }
    const [next] = this.#waiting.values();
    if (next !== undefined) {
      const { request } = next;
      this.#lastBy = next.by;
      try {
        this.#worker ??= this.#start();
        this.#worker.ref();
        this.#worker.postMessage(request);
      } catch (error) {
        // If the machine cannot start a thread, this text fails; the next one tries again.
        this.#waiting.delete(request.id);
        next.reject(error);
        this.#sendNext();
        return;
      }
      this.#current = next;
    }
    this.#startTimer();
  }

  #start(): Worker {
    const worker = new Worker(this.#program, { resourceLimits: { maxOldGenerationSizeMb: 512 } });
    this.#isReady = false;
    worker.on('message', (message: TextMessage<Result>) => {
      // A worker that took too long may answer after its text was refused and another worker began.
      if (worker !== this.#worker) return;
      if (message !== 'ready') return this.#settle(message);
      this.#isReady = true;
      this.#startTimer();
    });
    // Out of memory, or a stack too deep even for an error.
    worker.on('error', () => this.#end(worker, tooComplex()));
    worker.on('exit', () => this.#end(worker, tooComplex()));
    return worker;
  }

  #settle(answer: TextAnswer<Result>): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    this.#current = undefined;
    if ('result' in answer) waiting?.resolve(answer.result);
    else if ('refusal' in answer) {
      waiting?.reject(new AppError(answer.refusal.code, answer.refusal.message));
    } else waiting?.reject(answer.error);
    // While nobody waits, a program with nothing else to do may end.
    if (this.#waiting.size === 0) this.#worker?.unref();
    this.#sendNext();
  }

  /** Ends the worker if its text takes too long, or if it was idle for a while. */
  #startTimer(): void {
    if (!this.#isReady) return;
    const ms = this.#current === undefined ? idleMs : this.#limitOf(this.#current.request.text);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#worker && this.#end(this.#worker, tooComplex()), ms).unref();
  }

  /** Refuses the text under way. The others wait for another worker. */
  #end(worker: Worker, error: unknown): void {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    clearTimeout(this.#timer);
    void worker.terminate();
    const current = this.#current;
    if (current === undefined) return;
    this.#current = undefined;
    this.#waiting.delete(current.request.id);
    current.reject(error);
    if (this.#waiting.size > 0) this.#sendNext();
  }
}

function tooManyTexts(): AppError {
  return new AppError(
    'resource-exhausted',
    'Your other texts are still being rendered. Please try again in a moment.',
    { retryAfterSeconds: 10 },
  );
}
