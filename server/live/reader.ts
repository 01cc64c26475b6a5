import type { LiveEvents } from '../../contract/live.ts';
import type { Viewer } from '../access/viewer.ts';
import type { Bytes, Sink } from './sink.ts';

/** What a reader may leave unread before they are dropped, in bytes: a page of the longest comments fits. */
const maxWaitingBytes = 256 * 1024;
/** A browser comes back after this, spread so that a restarted server is not met by all of them at once. Milliseconds. */
const reconnectMs = { from: 1_000, to: 3_000 };

const encoder = new TextEncoder();
export const heartbeat = encoder.encode(':\n\n');

/** One event as bytes, made once for all who are told the same. */
export function frame<Name extends keyof LiveEvents>(name: Name, data: LiveEvents[Name]): Bytes {
  return encoder.encode(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
}

/** One open stream, and who reads it. */
export class LiveReader {
  readonly sessionId: string;
  viewer: Viewer;
  /** The posts that they follow. */
  readonly postIds = new Set<string>();
  #sink: Sink | undefined;
  readonly #onEnd: (reader: LiveReader) => void;

  constructor(sessionId: string, viewer: Viewer, sink: Sink, onEnd: (reader: LiveReader) => void) {
    this.sessionId = sessionId;
    this.viewer = viewer;
    this.#sink = sink;
    this.#onEnd = onEnd;
    const wait = reconnectMs.from + Math.random() * (reconnectMs.to - reconnectMs.from);
    this.send(encoder.encode(`retry: ${Math.round(wait)}\n\n`));
  }

  get isOpen(): boolean {
    return this.#sink !== undefined;
  }

  send(bytes: Bytes): void {
    const sink = this.#sink;
    if (sink === undefined) return;
    if (sink.waiting() + bytes.byteLength <= maxWaitingBytes) {
      sink.write(bytes);
      return;
    }
    // They do not read. The connection goes, and with it what waits in it; a browser that wakes up comes back and
    // catches up.
    this.leave();
    sink.destroy();
  }

  /** Ends the stream once what was sent is read. */
  close(): void {
    const sink = this.#sink;
    this.leave();
    sink?.end();
  }

  /** The reader has gone by themselves. */
  leave(): void {
    if (this.#sink === undefined) return;
    this.#sink = undefined;
    this.#onEnd(this);
  }
}
