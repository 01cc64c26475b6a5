import { AppError } from '../../contract/errors.ts';
import type { Clock } from '../clock.ts';
import { networksOf } from './networks.ts';

/** What a reader must take of a file within a time: 2 KiB a second, which every phone manages. Bytes and milliseconds. */
const leastBytes = 256 * 1024;
const withinMs = 120_000;
const lookEveryMs = 10_000;
/** Downloads that one network has open at a time: a school behind one address has fewer. */
const defaultPerNetwork = 200;

/** A download under way. `end` must be called once it is done. */
export type Download = {
  /** So many more bytes have been taken by its reader. */
  took(bytes: number): void;
  end(): void;
};

type Open = { since: number; bytes: number; cut: (reason: Error) => void };

/**
 * The downloads that this process has open. A client that asks for a file and reads nothing of it costs a connection and
 * memory for as long as they like: a network has only so many, and a reader who takes too little is cut. A browser whose
 * video was paused asks for the rest again.
 */
export class Downloads {
  readonly #clock: Clock;
  readonly #perNetwork: number;
  readonly #open = new Set<Open>();
  readonly #counts = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(clock: Clock, perNetwork = defaultPerNetwork) {
    this.#clock = clock;
    this.#perNetwork = perNetwork;
  }

  /**
   * Begins a download by a network; null for one inside this process. `cut` is called when its reader is too slow. Throws
   * resource-exhausted for a network that has too many open.
   */
  begin(network: string | null, cut: (reason: Error) => void): Download {
    const networks = network === null ? [] : networksOf(network);
    if (networks.some(({ name, times }) => this.#count(name) >= this.#perNetwork * times)) {
      throw new AppError('resource-exhausted', 'Too many downloads at once. Please try again in a moment.', {
        retryAfterSeconds: 5,
      });
    }
    for (const { name } of networks) this.#counts.set(name, this.#count(name) + 1);
    const open: Open = { since: this.#clock(), bytes: 0, cut };
    this.#open.add(open);
    this.#timer ??= setInterval(() => this.cutSlow(), lookEveryMs).unref();
    return {
      took: bytes => {
        open.bytes += bytes;
        if (open.bytes < leastBytes) return;
        open.bytes = 0;
        open.since = this.#clock();
      },
      end: () => {
        if (!this.#open.delete(open)) return;
        for (const { name } of networks) this.#release(name);
        if (this.#open.size > 0) return;
        clearInterval(this.#timer);
        this.#timer = undefined;
      },
    };
  }

  /** Cuts those whose readers have taken too little for too long. A timer calls it every few seconds. */
  cutSlow(): void {
    const latest = this.#clock() - withinMs;
    for (const { since, cut } of this.#open) {
      if (since < latest) cut(new Error('The reader takes too little.'));
    }
  }

  #count(network: string): number {
    return this.#counts.get(network) ?? 0;
  }

  #release(network: string): void {
    const left = this.#count(network) - 1;
    if (left > 0) this.#counts.set(network, left);
    else this.#counts.delete(network);
  }
}
