import { AppError } from '../../contract/errors.ts';
import type { Clock } from '../base/clock.ts';
import { networksOf } from '../base/networks.ts';

/**
 * How many bytes of a file a client must read within how many milliseconds: 2 KiB a second, which every phone
 * manages.
 */
const leastBytes = 256 * 1024;
const withinMs = 120_000;
const lookEveryMs = 10_000;
/** The most downloads that one network may have open at a time: a school behind one address has fewer. */
const defaultPerNetwork = 200;

/** An open download. `end` must be called once it is done. */
export type Download = {
  /** The client has read this many more bytes. */
  took(bytes: number): void;
  end(): void;
};

type Open = { since: number; bytes: number; cut: (reason: Error) => void };

/**
 * The open downloads of this process. A client that requests a file without reading it would occupy a
 * connection and memory for as long as it likes. So the downloads of a network are limited, and those of slow
 * clients are cut. A browser whose video was paused requests the rest again.
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
   * Begins a download of a network; null for one inside this process. `cut` is called when the client is too
   * slow. Throws resource-exhausted if the network has too many open downloads.
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

  /** Cuts downloads whose clients have read too little for too long. A timer calls it every few seconds. */
  cutSlow(): void {
    const latest = this.#clock() - withinMs;
    for (const { since, cut } of this.#open) {
      if (since < latest) cut(new Error('The client reads too slowly.'));
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
