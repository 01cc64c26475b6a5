import { heartbeat, type LiveReader } from './reader.ts';

/** Within the idle time of common proxies (60 s). Also how late the end of a session is noticed. Seconds. */
const everySeconds = 25;

/** Sends each reader a heartbeat now and then: every second to a part of them, so that no second has all the work. */
export class Heartbeats {
  readonly #parts = Array.from({ length: everySeconds }, () => new Set<LiveReader>());
  readonly #partOf = new WeakMap<LiveReader, Set<LiveReader>>();
  #turn = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `onExpired` is called for a reader whose session has run out by now. */
  start(onExpired: (reader: LiveReader) => void): void {
    this.#timer = setInterval(() => {
      const part = this.#parts[this.#turn % everySeconds] ?? [];
      this.#turn += 1;
      for (const reader of [...part]) {
        // The time of day itself: better-auth measures the age of sessions by it, too.
        if (reader.expiresAt <= Date.now()) onExpired(reader);
        else reader.send(heartbeat);
      }
    }, 1_000).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  add(reader: LiveReader): void {
    const part = this.#parts[Math.floor(Math.random() * everySeconds)];
    if (part === undefined) return;
    part.add(reader);
    this.#partOf.set(reader, part);
  }

  remove(reader: LiveReader): void {
    this.#partOf.get(reader)?.delete(reader);
  }
}
