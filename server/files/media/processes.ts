import { type ChildProcess, fork } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { getCompileCacheDir } from 'node:module';
import { getPriority, setPriority } from 'node:os';
import { dirname } from 'node:path';
import { AppError, type ErrorCode } from '../../../contract/errors.ts';
import { ConfigError } from '../../base/config-error.ts';
import { programBeside } from '../../base/program.ts';
import { Turns } from '../../base/turns.ts';
import { pictureTypes } from '../privacy/type.ts';
import { NotNow } from '../videos/ffmpeg.ts';
import type { MediaJobs } from './media-process.ts';

/** A function of media-process.ts, and what it is given. */
export type MediaRequest = { name: keyof MediaJobs; args: readonly unknown[] };
export type MediaAnswer =
  | { value: unknown }
  | { refusal: { code: ErrorCode; message: string } }
  | { unusable: string }
  | { error: unknown };
type Made<Name extends keyof MediaJobs> = Awaited<ReturnType<MediaJobs[Name]>>;

/** Many times what a picture takes on a busy machine. Milliseconds. */
const limitMs = 3 * 60_000;
/** A long video is copied and read on a slow disk. Bytes in a millisecond. */
const slowestDisk = 5_000;
/** A process takes 70 MB, and ends after it was idle this long. Milliseconds. */
const idleMs = 5_000;
/** What decoding is expected to take is bounded (pictures.ts); this ends what was not expected. */
const maxBytes = 450_000_000;
/** The same for strings and objects: one long step lets nobody look at the memory meanwhile. MiB. */
const maxHeapMib = 320;
/** A low priority, because requests of readers come first. As in nice(2). */
const niceness = 5;
const program = programBeside(import.meta.url, 'media-process');

type Options = {
  /** Who waits for it: people take turns, before what nobody waits for. */
  by?: string | undefined;
  stopping?: AbortSignal;
  maxMs?: number;
};

/**
 * Decodes pictures, or cleans files, in a process of its own, one after another: it is started for the first
 * one and ends when it is idle, and with it goes the memory. One that takes too much of time or memory ends
 * that process alone.
 */
export class MediaProcess {
  readonly #maxMemory: number;
  #child: ChildProcess | undefined;
  readonly #waiting = new Turns<{ by: string | undefined; begin: () => void }>();
  #isBusy = false;
  #timer: NodeJS.Timeout | undefined;

  /** `maxMemory` is in bytes. */
  constructor(maxMemory = maxBytes) {
    this.#maxMemory = maxMemory;
  }

  /**
   * Throws as the function does, {@link NotNow} if the process ends before its answer, and the reason of
   * `stopping` if that ended it.
   */
  async run<Name extends keyof MediaJobs>(
    name: Name,
    args: Parameters<MediaJobs[Name]>,
    { by, stopping, maxMs = limitMs }: Options = {},
  ): Promise<Made<Name>> {
    await this.#turnOf(by);
    const answer = await this.#answerTo({ name, args }, maxMs, stopping).finally(() => this.#beginNext());
    if (answer === undefined) throw new NotNow(`The process ended during ${name}.`);
    // The program calls the function of this name.
    if ('value' in answer) return answer.value as Made<Name>;
    if ('refusal' in answer) throw new AppError(answer.refusal.code, answer.refusal.message);
    throw 'unusable' in answer ? new ConfigError(answer.unusable) : answer.error;
  }

  #turnOf(by: string | undefined): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add({ by, begin: resolve });
    if (!this.#isBusy) this.#beginNext();
    return promise;
  }

  #beginNext(): void {
    const next = this.#waiting.take();
    this.#isBusy = next !== undefined;
    next?.begin();
  }

  /** Undefined if the process ends without one, as when memory runs out. */
  async #answerTo(
    request: MediaRequest,
    maxMs: number,
    stopping = new AbortController().signal,
  ): Promise<MediaAnswer | undefined> {
    stopping.throwIfAborted();
    clearTimeout(this.#timer);
    this.#child ??= this.#start();
    const child = this.#child;
    const { promise, resolve } = Promise.withResolvers<MediaAnswer | undefined>();
    const onEnd = () => resolve(undefined);
    const end = () => this.#end(child);
    child.once('message', resolve).once('exit', onEnd).once('error', onEnd);
    stopping.addEventListener('abort', end);
    const timer = setTimeout(end, maxMs);
    // Nothing else may keep a program alive that waits for its picture.
    child.channel?.ref();
    child.send(request);
    const answer = await promise;
    clearTimeout(timer);
    stopping.removeEventListener('abort', end);
    stopping.throwIfAborted();
    child.off('message', resolve).off('exit', onEnd).off('error', onEnd);
    child.channel?.unref();
    // The memory of WebAssembly never shrinks.
    if (answer === undefined || request.name === 'convertHeic') end();
    else this.#timer = setTimeout(end, idleMs).unref();
    return answer;
  }

  #start(): ChildProcess {
    const compiled = getCompileCacheDir();
    const child = fork(program, [String(this.#maxMemory)], {
      // Each version of Node.js has a folder in it.
      env: { ...process.env, ...(compiled !== undefined && { NODE_COMPILE_CACHE: dirname(compiled) }) },
      execArgv: ['--expose-gc', `--max-old-space-size=${maxHeapMib}`],
      serialization: 'advanced',
      // Libraries print their complaints about a picture there.
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    // Before its threads begin, which inherit it.
    if (child.pid !== undefined) setPriority(child.pid, Math.max(niceness, getPriority()));
    child.on('exit', () => this.#end(child));
    // Without a listener an error would end this process.
    child.on('error', () => this.#end(child));
    child.unref();
    return child;
  }

  #end(child: ChildProcess): void {
    if (child === this.#child) this.#child = undefined;
    child.kill('SIGKILL');
  }
}

const pictures = new MediaProcess();
/** Pictures wait for no video. */
const others = new MediaProcess();

/**
 * Calls a function of media-process.ts for a picture that this person waits for. Throws as it does, and
 * out-of-range if that process ended: a picture of an upload is refused then.
 */
export async function decode<Name extends keyof MediaJobs>(
  by: string | undefined,
  name: Name,
  ...args: Parameters<MediaJobs[Name]>
): Promise<Made<Name>> {
  return await pictures.run(name, args, { by }).catch((error: unknown) => {
    throw error instanceof NotNow ? tooHeavy() : error;
  });
}

function tooHeavy(): AppError {
  return new AppError(
    'out-of-range',
    'Reading this picture takes too much time or memory. Please save it as a smaller JPEG.',
  );
}

/**
 * Calls `clearMedium` in a process for a file that this person waits for. Throws as it does, and out-of-range
 * if that process ended.
 */
export async function cleanInProcess(
  by: string | undefined,
  path: string,
  to: string,
  type: string,
): Promise<Made<'clearMedium'>> {
  if (pictureTypes.has(type)) return await decode(by, 'clearMedium', path, to, type);
  const maxMs = limitMs + (await stat(path)).size / slowestDisk;
  return await others.run('clearMedium', [path, to, type], { by, maxMs }).catch((error: unknown) => {
    throw error instanceof NotNow ? tooHeavyToClean() : error;
  });
}

function tooHeavyToClean(): AppError {
  return new AppError(
    'out-of-range',
    'Removing hidden data from this file takes too much time or memory. Please export it again with another program.',
  );
}

/**
 * Writes the sizes of a picture into a folder; pictures that somebody waits for come before (turns.ts).
 * Throws {@link NotNow} if the process ended, and what `stopping` says.
 */
export async function makeSizes(
  path: string,
  folder: string,
  stopping: AbortSignal,
): Promise<Made<'writeSizes'>> {
  return await pictures.run('writeSizes', [path, folder], { stopping });
}
