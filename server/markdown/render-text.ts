import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { AppError, type ErrorCode } from '../../contract/errors.ts';
import { refuseTooLong, timeLimitOf, tooComplex } from './bounds.ts';
import { type Rendered, type RenderOptions, renderMarkdown } from './render.ts';
import { withTimeLimit } from './time-limit.ts';

export type RenderRequest = { id: number; markdown: string; options: RenderOptions };
/** What a worker sends: `ready` once it is loaded, then an answer for each text. */
export type RenderMessage = 'ready' | RenderAnswer;
export type RenderAnswer = { id: number } & (
  | { rendered: Rendered }
  | { refusal: { code: ErrorCode; message: string } }
  | { error: unknown }
);

/** What is tried in place: at most so many characters, for at most so many milliseconds. */
const shortCharacters = 5_000;
const inPlaceMs = 80;
/** The grammars that colour code can take longer than that when they are first used. */
const codeFence = /```|~~~/;
/** A worker holds some 40 MB, and ends when nobody has needed it for so long. Milliseconds. */
const idleMs = 60_000;

/**
 * As `renderMarkdown`, without holding up those who read: what takes longer than a blink is rendered by a worker, one
 * text after another, and a text that takes it too long costs that worker. Throws as `renderMarkdown` does.
 */
export async function renderText(
  markdown: string,
  options: RenderOptions = {},
  worker: Pick<RenderWorker, 'render'> = siteWorker,
  limitMs = inPlaceMs,
): Promise<Rendered> {
  // Every page of a site without an About text shows an empty one.
  if (markdown === '') return { html: '', text: '', readable: '' };
  refuseTooLong(markdown);
  if (markdown.length <= shortCharacters && !codeFence.test(markdown)) {
    const done = withTimeLimit(limitMs, () => renderMarkdown(markdown, options));
    if (done !== undefined) return done.value;
  }
  return await worker.render(markdown, options);
}

type Waiting = {
  request: RenderRequest;
  resolve: (rendered: Rendered) => void;
  reject: (error: unknown) => void;
};

/** One worker thread, started for the first text and again after it has ended. */
export class RenderWorker {
  readonly #program: URL;
  readonly #limitOf: (markdown: string) => number;
  #worker: Worker | undefined;
  /** Whether the worker is loaded: before that, no text is to blame for the time that passes. */
  #isReady = false;
  /** In the order in which the worker takes them. */
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(program: URL, limitOf = timeLimitOf) {
    this.#program = program;
    this.#limitOf = limitOf;
  }

  render(markdown: string, options: RenderOptions): Promise<Rendered> {
    this.#lastId += 1;
    const request: RenderRequest = { id: this.#lastId, markdown, options };
    const { promise, resolve, reject } = Promise.withResolvers<Rendered>();
    this.#waiting.set(request.id, { request, resolve, reject });
    this.#send(request);
    if (this.#waiting.size === 1) this.#startTimer();
    return promise;
  }

  #send(request: RenderRequest): void {
    this.#worker ??= this.#start();
    this.#worker.ref();
    this.#worker.postMessage(request);
  }

  #start(): Worker {
    const worker = new Worker(this.#program, { resourceLimits: { maxOldGenerationSizeMb: 512 } });
    this.#isReady = false;
    worker.on('message', (message: RenderMessage) => {
      if (message !== 'ready') return this.#settle(message);
      this.#isReady = true;
      this.#startTimer();
    });
    // Out of memory, or out of stack where even an error has no room.
    worker.on('error', () => this.#end(worker, tooComplex()));
    worker.on('exit', () => this.#end(worker, tooComplex()));
    return worker;
  }

  #settle(answer: RenderAnswer): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if ('rendered' in answer) waiting?.resolve(answer.rendered);
    else if ('refusal' in answer) {
      waiting?.reject(new AppError(answer.refusal.code, answer.refusal.message));
    } else waiting?.reject(answer.error);
    // When nobody waits, a program that has nothing else to do may end.
    if (this.#waiting.size === 0) this.#worker?.unref();
    this.#startTimer();
  }

  /** Ends the worker when the text that it is at takes too long, or when nobody has needed it for a while. */
  #startTimer(): void {
    if (!this.#isReady) return;
    const [current] = this.#waiting.values();
    const ms = current === undefined ? idleMs : this.#limitOf(current.request.markdown);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#worker && this.#end(this.#worker, tooComplex()), ms).unref();
  }

  /** Refuses the text that the worker was at. The others are not to blame, and go to another worker. */
  #end(worker: Worker, error: unknown): void {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    clearTimeout(this.#timer);
    void worker.terminate();
    const [current, ...others] = this.#waiting.values();
    if (current === undefined) return;
    this.#waiting.delete(current.request.id);
    current.reject(error);
    for (const { request } of others) this.#send(request);
    if (others.length > 0) this.#startTimer();
  }
}

/** This file's neighbour, both in the sources and in the bundle (scripts/build.ts). */
const siteWorker = new RenderWorker(new URL(`./render-worker${extname(import.meta.url)}`, import.meta.url));
