import type { Clock } from '../base/clock.ts';
import { heartbeat, type LiveReader } from './reader.ts';

/**
 * In seconds. Shorter than the idle time of common proxies (60 s), and the longest delay until the end of a
 * session is noticed.
 */
const everySeconds = 25;

/** Sends each reader a regular heartbeat: each second to some of the readers, which spreads the work. */
export class Heartbeats {
  readonly #parts = Array.from({ length: everySeconds }, () => new Set<LiveReader>());
  #turn = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `onExpired` is called for a reader whose session has expired. */
  start(clock: Clock, onExpired: (reader: LiveReader) => void): void {
    this.#timer = setInterval(() => {
      const part = this.#parts[this.#turn % everySeconds] ?? [];
      this.#turn += 1;
      for (const reader of [...part]) {
        if (reader.expiresAt <= clock()) onExpired(reader);
        else reader.send(heartbeat);
      }
    }, 1_000).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  add(reader: LiveReader): void {
    this.#parts[Math.floor(Math.random() * everySeconds)]?.add(reader);
  }

  remove(reader: LiveReader): void {
    for (const part of this.#parts) part.delete(reader);
  }
}
