import type { ServerResponse } from 'node:http';

/** Bytes of the stream. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** Where the bytes of a live stream go. */
export type Sink = {
  write(bytes: Bytes): void;
  /** Bytes written that the reader has not taken. */
  waiting(): number;
  /** Ends it once what was written is read. */
  end(): void;
  /** Ends it immediately and drops its buffer. */
  destroy(): void;
};

/** Writes directly to the connection: with a web stream each reader would cost twice the memory (bench/live.ts). */
export function responseSink(response: ServerResponse): Sink {
  return {
    write: bytes => {
      response.write(bytes);
    },
    waiting: () => response.writableLength,
    end: () => {
      response.end();
    },
    destroy: () => {
      response.destroy();
    },
  };
}

/** For an application without a socket, as in tests: the stream to answer with. `onCancel` is called when the reader has left. */
export function streamSink(onCancel: () => void): { sink: Sink; stream: ReadableStream<Bytes> } {
  let controller: ReadableStreamDefaultController<Bytes> | undefined;
  const stream = new ReadableStream<Bytes>(
    {
      start: started => {
        controller = started;
      },
      cancel: onCancel,
    },
    { highWaterMark: 0, size: bytes => bytes.byteLength },
  );
  const end = () => controller?.close();
  return {
    stream,
    sink: {
      write: bytes => controller?.enqueue(bytes),
      waiting: () => -(controller?.desiredSize ?? 0),
      end,
      destroy: end,
    },
  };
}
