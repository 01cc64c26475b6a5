import type { LiveEvents } from '../../contract/comments.ts';
import type { Viewer } from '../access/viewer.ts';

/** What a reader may leave unread before they are dropped, in bytes: a page of the longest comments fits. */
const maxBufferedBytes = 256 * 1024;
/** A browser comes back after this, spread so that a restarted server is not met by all of them at once. Milliseconds. */
const reconnectMs = { from: 1_000, to: 3_000 };

/** Bytes of the stream. */
export type Bytes = Uint8Array<ArrayBuffer>;

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
  readonly stream: ReadableStream<Bytes>;
  #controller: ReadableStreamDefaultController<Bytes> | undefined;
  readonly #onEnd: (reader: LiveReader) => void;
  readonly #disconnect: () => void;

  constructor(
    sessionId: string,
    viewer: Viewer,
    { onEnd, disconnect }: { onEnd(reader: LiveReader): void; disconnect(): void },
  ) {
    this.sessionId = sessionId;
    this.viewer = viewer;
    this.#onEnd = onEnd;
    this.#disconnect = disconnect;
    this.stream = new ReadableStream<Bytes>(
      {
        start: controller => {
          this.#controller = controller;
        },
        cancel: () => this.#end(),
      },
      { highWaterMark: maxBufferedBytes, size: bytes => bytes.byteLength },
    );
    const wait = reconnectMs.from + Math.random() * (reconnectMs.to - reconnectMs.from);
    this.send(encoder.encode(`retry: ${Math.round(wait)}\n\n`));
  }

  get isOpen(): boolean {
    return this.#controller !== undefined;
  }

  send(bytes: Bytes): void {
    const controller = this.#controller;
    if (controller === undefined) return;
    if ((controller.desiredSize ?? 0) < bytes.byteLength) {
      // They do not read. The connection goes, and with it what waits in it; a browser that wakes up comes back and
      // catches up.
      this.close();
      this.#disconnect();
      return;
    }
    controller.enqueue(bytes);
  }

  /** Ends the stream once what was sent is read. */
  close(): void {
    this.#controller?.close();
    this.#end();
  }

  #end(): void {
    if (this.#controller === undefined) return;
    this.#controller = undefined;
    this.#onEnd(this);
  }
}
