export type Bytes = Uint8Array<ArrayBuffer>;

/** The target of a live stream's bytes; Node's own response is one. */
export type Sink = {
  write(bytes: Bytes): void;
  /** Written bytes that the reader has not received. */
  readonly writableLength: number;
  /** Ends it once everything written has been read. */
  end(): void;
  /** Ends it immediately and drops its buffer. */
  destroy(): void;
};

/**
 * For an application without a socket, as in tests: the stream to answer with. `onCancel` is called when the
 * reader has left.
 */
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
      get writableLength() {
        return -(controller?.desiredSize ?? 0);
      },
      end,
      destroy: end,
    },
  };
}
