import type { LiveEvents } from '../../contract/live.ts';
import type { Viewer } from '../access/viewer.ts';
import type { Bytes, Sink } from './sink.ts';

/** A reader with this many unread bytes is dropped: a page of the longest comments is below it. */
const maxWaitingBytes = 256 * 1024;
/**
 * In milliseconds. An EventSource of another program reconnects after this time, which varies so that not all
 * do so at once after a restart; our page has its own pauses (web/app/live.ts).
 */
const reconnectMs = { from: 1_000, to: 6_000 };

const encoder = new TextEncoder();
export const heartbeat = encoder.encode(':\n\n');

/** One event as bytes, made once for all readers who get the same. */
export function sseEvent<Name extends keyof LiveEvents>(name: Name, data: LiveEvents[Name]): Bytes {
  return encoder.encode(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
}

type Opened = { sessionId: string; userId: string; viewer: Viewer; postIds: Iterable<string> };

/** One open stream and its reader. */
export class LiveReader {
  readonly sessionId: string;
  readonly userId: string;
  viewer: Viewer;
  /** When the session expires, in milliseconds since 1970. */
  expiresAt = Number.POSITIVE_INFINITY;
  /** Whether the viewer has not been sent yet. */
  isNew = true;
  /** The posts that they follow. */
  readonly postIds: Set<string>;
  /** The posts whose state has not been sent yet. */
  readonly awaitingState: Set<string>;
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
    this.awaitingState = new Set(postIds);
    this.#sink = sink;
    this.#onEnd = onEnd;
    const wait = reconnectMs.from + Math.random() * (reconnectMs.to - reconnectMs.from);
    this.send(encoder.encode(`retry: ${Math.round(wait)}\n\n`));
  }

  send(bytes: Bytes): void {
    const sink = this.#sink;
    if (sink === undefined) return;
    if (sink.writableLength + bytes.byteLength <= maxWaitingBytes) {
      sink.write(bytes);
      return;
    }
    // The reader does not read: the unread bytes are dropped. A browser that wakes up reconnects.
    this.detach();
    sink.destroy();
  }

  /** Ends the stream once everything sent has been read. */
  close(): void {
    const sink = this.#sink;
    this.detach();
    sink?.end();
  }

  /** Sends nothing more. Does not close the connection: it is closed, or the caller closes it. */
  detach(): void {
    if (this.#sink === undefined) return;
    this.#sink = undefined;
    this.#onEnd(this);
  }
}
