import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * A listener of an HTTP server. Its promise is settled once the request is handled, even if the reader has
 * gone.
 */
export type Listener = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>;

/** Receives a request that was handled, and how long that took in milliseconds. */
export type ObserveRequest = (incoming: IncomingMessage, outgoing: ServerResponse, ms: number) => void;

/**
 * Counts the requests that a listener is handling. Node forgets a request with its connection, but a request
 * without a reader is still handled to its end, and uses the database until then.
 */
export class RunningRequests {
  #running = 0;
  #tellEnded: (() => void) | undefined;
  readonly #observe: ObserveRequest | undefined;

  constructor(observe?: ObserveRequest) {
    this.#observe = observe;
  }

  /** The listener to give to the server. */
  counted(listener: Listener): Listener {
    return async (incoming, outgoing) => {
      this.#running += 1;
      const began = this.#observe && performance.now();
      try {
        await listener(incoming, outgoing);
      } finally {
        this.#running -= 1;
        if (began !== undefined) this.#observe?.(incoming, outgoing, performance.now() - began);
        if (this.#running === 0) this.#tellEnded?.();
      }
    };
  }

  /** Waits until no request is being handled. */
  async ended(): Promise<void> {
    if (this.#running === 0) return;
    await new Promise<void>(resolve => {
      this.#tellEnded = resolve;
    });
  }
}
