import type { LiveEvents } from '../../contract/live.ts';
import type { Viewer } from '../access/viewer.ts';
import type { Bytes, Sink } from './sink.ts';

/** What a reader may leave unread before they are dropped, in bytes: a page of the longest comments fits. */
const maxWaitingBytes = 256 * 1024;
/** A browser comes back after this, spread so that a restarted server is not met by all of them at once. Milliseconds. */
const reconnectMs = { from: 1_000, to: 6_000 };

const encoder = new TextEncoder();
export const heartbeat = encoder.encode(':\n\n');

/** One event as bytes, made once for all who are told the same. */
export function frame<Name extends keyof LiveEvents>(name: Name, data: LiveEvents[Name]): Bytes {
  return encoder.encode(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
}

type Opened = { sessionId: string; userId: string; viewer: Viewer; postIds: Iterable<string> };

/** One open stream and its reader. */
export class LiveReader {
  readonly sessionId: string;
  readonly userId: string;
  viewer: Viewer;
  /** When the session runs out, in milliseconds of the time of day. */
  expiresAt = Number.POSITIVE_INFINITY;
  /** Who the viewer is has not been said yet. */
  isNew = true;
  /** The posts that they follow. */
  readonly postIds: Set<string>;
  /** Those of them whose state has not been told yet. */
  readonly expecting: Set<string>;
  #sink: Sink | undefined;
  readonly #onEnd: (reader: LiveReader) => void;

  constructor(
    { sessionId, userId, viewer, postIds }: Opened,
    sink: Sink,
    onEnd: (reader: LiveReader) => void,
  ) {
    this.sessionId = sessionId;
    this.userId = userId;
    this.viewer = viewer;
    this.postIds = new Set(postIds);
    this.expecting = new Set(postIds);
    this.#sink = sink;
    this.#onEnd = onEnd;
    const wait = reconnectMs.from + Math.random() * (reconnectMs.to - reconnectMs.from);
    this.send(encoder.encode(`retry: ${Math.round(wait)}\n\n`));
  }

  send(bytes: Bytes): void {
    const sink = this.#sink;
    if (sink === undefined) return;
    if (sink.waiting() + bytes.byteLength <= maxWaitingBytes) {
      sink.write(bytes);
      return;
    }
    // The reader does not read. The connection is closed, with what waits in it; a browser that wakes up connects again and
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

  /** The reader has closed the connection. */
  leave(): void {
    if (this.#sink === undefined) return;
    this.#sink = undefined;
    this.#onEnd(this);
  }
}
