import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { AppError, type ErrorCode } from '../../contract/errors.ts';
import { weigh } from './guard.ts';
import { type RenderOptions, renderMarkdown } from './render.ts';

export type Rendered = { html: string; text: string };
export type RenderRequest = { id: number; markdown: string; options: RenderOptions };
export type RenderAnswer = { id: number } & (
  | { rendered: Rendered }
  | { refusal: { code: ErrorCode; message: string } }
  | { error: unknown }
);

/** What is rendered in place: at most so many characters, of at most so much weight in microseconds (guard.ts). */
const quickCharacters = 5_000;
const quickWeight = 30_000;
/** Longer than the time limit of the longest text: for a thread that has lost its way. Milliseconds. */
const giveUpMs = 30_000;
/** The thread holds some 40 MB, and goes when nobody has needed it for so long. Milliseconds. */
const restMs = 60_000;

type Waiting = {
  request: RenderRequest;
  resolve: (rendered: Rendered) => void;
  reject: (error: unknown) => void;
};

/**
 * As {@link renderMarkdown}, without holding up those who read: what takes longer than a blink is rendered in a thread
 * of its own, one text after another. Throws as `renderMarkdown` does; deadline-exceeded when the thread is stuck.
 */
export async function renderAside(markdown: string, options: RenderOptions = {}): Promise<Rendered> {
  return isQuick(markdown) ? renderMarkdown(markdown, options) : await thread.render(markdown, options);
}

function isQuick(markdown: string): boolean {
  if (markdown.length > quickCharacters) return false;
  return Object.values(weigh(markdown)).reduce((sum, part) => sum + part, 0) <= quickWeight;
}

/** This file's neighbour, both in the sources and in the bundle (scripts/build.ts). */
const neighbour = new URL(`./render-worker${extname(import.meta.url)}`, import.meta.url);

/** One thread, started for the first text and again after it has gone. */
export class RenderThread {
  readonly #program: URL;
  #worker: Worker | undefined;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #watch: NodeJS.Timeout | undefined;

  constructor(program: URL) {
    this.#program = program;
  }

  render(markdown: string, options: RenderOptions): Promise<Rendered> {
    this.#lastId += 1;
    const request: RenderRequest = { id: this.#lastId, markdown, options };
    const { promise, resolve, reject } = Promise.withResolvers<Rendered>();
    if (this.#waiting.size === 0) this.#expectAnswer();
    this.#waiting.set(request.id, { request, resolve, reject });
    this.#hand(request);
    return promise;
  }

  #hand(request: RenderRequest): void {
    this.#worker ??= this.#start();
    this.#worker.ref();
    this.#worker.postMessage(request);
  }

  #start(): Worker {
    const worker = new Worker(this.#program, { resourceLimits: { maxOldGenerationSizeMb: 512 } });
    worker.on('message', (answer: RenderAnswer) => this.#settle(answer));
    worker.on('error', error => this.#end(worker, error));
    worker.on('exit', () => this.#end(worker, new Error('The thread that renders texts has ended.')));
    return worker;
  }

  #settle(answer: RenderAnswer): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if ('rendered' in answer) waiting?.resolve(answer.rendered);
    else if ('refusal' in answer) {
      waiting?.reject(new AppError(answer.refusal.code, answer.refusal.message));
    } else waiting?.reject(answer.error);
    if (this.#waiting.size > 0) {
      this.#expectAnswer();
      return;
    }
    // Nobody waits: a program that has nothing else to do may end.
    this.#worker?.unref();
    this.#endAfter(restMs, undefined);
  }

  #expectAnswer(): void {
    this.#endAfter(
      giveUpMs,
      new AppError('deadline-exceeded', 'This text took too long to be rendered. Please try again.'),
    );
  }

  #endAfter(ms: number, error: unknown): void {
    clearTimeout(this.#watch);
    this.#watch = setTimeout(() => this.#worker && this.#end(this.#worker, error), ms).unref();
  }

  /** The text that has waited longest was being rendered: the others are not to blame, and go to another thread. */
  #end(worker: Worker, error: unknown): void {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    clearTimeout(this.#watch);
    void worker.terminate();
    const [culprit, ...others] = this.#waiting.values();
    if (culprit === undefined) return;
    this.#waiting.delete(culprit.request.id);
    culprit.reject(error);
    if (others.length > 0) this.#expectAnswer();
    for (const { request } of others) this.#hand(request);
  }
}

const thread = new RenderThread(neighbour);
