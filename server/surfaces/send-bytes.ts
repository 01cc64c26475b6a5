import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context } from 'hono';
import { missingBytes } from '../files/store/missing-bytes.ts';
import { outgoingOf, type RequestVariables } from '../http/request.ts';
import type { Download } from '../limits/downloads.ts';
import type { RightWatch } from './right-watch.ts';

/** The bytes of a download: its first chunk, and the following ones, which must be read or closed. */
type Bytes = {
  first: IteratorResult<Uint8Array>;
  rest: AsyncGenerator<Uint8Array>;
  /** Aborted when the reader loses the right to the bytes, or reads too slowly. */
  cut: AbortSignal;
};

/** What may end a download early by calling `cut`: a slow reader, and the loss of the right. */
type Bounds = {
  begin(cut: (reason: unknown) => void): Download;
  watch(cut: (reason: unknown) => void): RightWatch;
};

/**
 * Reads the first chunk before the answer begins, so that an error can still be answered. The right is
 * watched if there are more chunks. Throws if there are more or fewer bytes than `length`.
 */
export async function startReading(
  source: AsyncGenerator<Uint8Array>,
  length: number,
  bounds: Bounds,
): Promise<Bytes> {
  const cutting = new AbortController();
  const rest = chunksOf(source, length, bounds, cutting);
  return { first: await rest.next(), rest, cut: cutting.signal };
}

/**
 * The chunks, each made once the reader has received the previous one; throws when the download is cut.
 * Yields exactly `length` bytes: a wrong length would shift the next answer on the connection.
 */
async function* chunksOf(
  source: AsyncGenerator<Uint8Array>,
  length: number,
  { begin, watch }: Bounds,
  cutting: AbortController,
): AsyncGenerator<Uint8Array> {
  const cut = (reason: unknown) => cutting.abort(reason);
  const download = begin(cut);
  let right: RightWatch | undefined;
  let left = length;
  try {
    for await (const chunk of source) {
      // The store may have been slow.
      cutting.signal.throwIfAborted();
      right?.check();
      left -= chunk.length;
      if (left < 0) throw missingBytes('This file is longer than it was.');
      if (left > 0) right ??= watch(cut);
      yield chunk;
      download.took(chunk.length);
    }
    if (left > 0) throw missingBytes('This file is shorter than it was.');
  } finally {
    download.end();
    await right?.stop();
  }
}

/**
 * Sends the bytes as the answer, directly to the connection if there is one: a web stream would copy them,
 * and allocate memory for each chunk.
 */
export async function sendBytes(
  c: Context<RequestVariables>,
  bytes: Bytes,
  status: 200 | 206,
  headers: Record<string, string>,
): Promise<Response> {
  const outgoing = outgoingOf(c);
  if (outgoing === undefined) return c.body(webStream(bytes), status, headers);
  const answer = c.body(null, status, headers);
  const { socket } = outgoing.req;
  const gone = Promise.withResolvers<'gone'>();
  const leave = () => gone.resolve('gone');
  socket.once('close', leave);
  bytes.cut.addEventListener('abort', leave);
  try {
    outgoing.writeHead(status, [...answer.headers, ...c.var.requestIdentity.replyHeaders].flat());
    for (let step = bytes.first; !step.done; step = await bytes.rest.next()) {
      const taken = Promise.withResolvers<'taken'>();
      outgoing.write(step.value, error => (error ? leave() : taken.resolve('taken')));
      if (socket.destroyed || (await Promise.race([taken.promise, gone.promise])) === 'gone') break;
    }
    bytes.cut.throwIfAborted();
    outgoing.end();
  } catch (error) {
    // It is too late for an error answer. The connection is closed, so that nobody takes the part for the
    // whole file.
    if (bytes.cut.aborted) c.var.log.info({ reason: String(error) }, 'a download was cut');
    else c.var.log.error({ err: error }, 'a file could not be read to its end');
    outgoing.destroy();
  } finally {
    socket.off('close', leave);
    await bytes.rest.return(undefined);
  }
  return RESPONSE_ALREADY_SENT;
}

function webStream({ first, rest }: Bytes) {
  let known: Bytes['first'] | undefined = first;
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      pull: async controller => {
        const { done, value } = known ?? (await rest.next());
        known = undefined;
        if (done) controller.close();
        else controller.enqueue(new Uint8Array(value));
      },
      cancel: async () => {
        await rest.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}
