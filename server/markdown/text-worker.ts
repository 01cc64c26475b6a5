import { Worker } from 'node:worker_threads';
import { AppError, type ErrorCode, type ErrorDetails } from '../../contract/errors.ts';
import { Turns } from '../base/turns.ts';
import { timeLimitOf, tooComplex } from './bounds.ts';

export type TextRequest<Options> = { text: string; options: Options };
/** A message of a worker: `ready` once it is loaded, then an answer for each text. */
export type TextMessage<Result> = 'ready' | TextAnswer<Result>;
export type TextAnswer<Result> =
  | { result: Result }
  | { refusal: { code: ErrorCode; message: string; details: ErrorDetails | undefined } }
  | { error: unknown };

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
  readonly #waiting = new Turns<Waiting<Options, Result>>();
  #current: Waiting<Options, Result> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(program: URL, limitOf = timeLimitOf) {
    this.#program = program;
    this.#limitOf = limitOf;
  }

  /** `by` is the id of the person who waits for the text, with whom others take turns. */
  run(text: string, options: Options, by?: string): Promise<Result> {
    if (this.#countOf(by) >= mostOfOne) return Promise.reject(tooManyTexts());
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    this.#waiting.add({ request: { text, options }, by, resolve, reject });
    this.#sendNext();
    return promise;
  }

  /** Whether a text of this person is in the worker or its queue. */
  hasTextOf(by: string | undefined): boolean {
    return this.#countOf(by) > 0;
  }

  /** The number of texts of one person; 0 for those without one. */
  #countOf(by: string | undefined): number {
    if (by === undefined) return 0;
    return this.#waiting.of(by).length + (this.#current?.by === by ? 1 : 0);
  }

  /** Gives the worker the next text, if it is idle. */
  #sendNext(): void {
    if (this.#current !== undefined) return;
    const next = this.#waiting.take();
    if (next !== undefined) {
      try {
        this.#worker ??= this.#start();
        this.#worker.ref();
        this.#worker.postMessage(next.request);
      } catch (error) {
        // If the machine cannot start a thread, this text fails; the next one tries again.
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
    const settled = this.#current;
    this.#current = undefined;
    if ('result' in answer) settled?.resolve(answer.result);
    else if ('refusal' in answer) {
      const { code, message, details } = answer.refusal;
      settled?.reject(new AppError(code, message, details));
    } else settled?.reject(answer.error);
    // While nobody waits, a program with nothing else to do may end.
    this.#worker?.unref();
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
    this.#isReady = false;
    clearTimeout(this.#timer);
    void worker.terminate();
    const current = this.#current;
    if (current === undefined) return;
    this.#current = undefined;
    current.reject(error);
    this.#sendNext();
  }
}

function tooManyTexts(): AppError {
  return new AppError(
    'resource-exhausted',
    'Your other texts are still being rendered. Please try again in a moment.',
    { retryAfterSeconds: 10 },
  );
}
