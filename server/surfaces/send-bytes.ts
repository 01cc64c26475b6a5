import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context } from 'hono';
import { missingBytes } from '../files/missing-bytes.ts';
import { outgoingOf, type RequestVariables } from '../http/request.ts';
import type { Download } from '../limits/downloads.ts';
import type { LastingRight } from './lasting-right.ts';

/** The bytes of a download. `next` throws once it has been cut; `close` must be called in the end. */
type Bytes = {
  first: Uint8Array | undefined;
  /** The next chunk. Call it once the reader has taken the chunk before. */
  next(): Promise<Uint8Array | undefined>;
  /** Aborted when the reader loses the right to the bytes, or reads too slowly. */
  cut: AbortSignal;
  close(): Promise<void>;
};

/** What may end a download early by calling `cut`: a reader who is too slow, and the loss of the right. */
type Bounds = {
  begin(cut: (reason: unknown) => void): Download;
  watch(cut: (reason: unknown) => void): LastingRight;
};

/**
 * Reads the first chunk before the answer begins, so that an error can still be answered. The right is watched if there
 * are more chunks. Throws where there are more or fewer bytes than `length`.
 */
export async function startReading(
  found: AsyncGenerator<Uint8Array>,
  length: number,
  { begin, watch }: Bounds,
): Promise<Bytes> {
  const source = exactly(found, length);
  const cutting = new AbortController();
  const cut = (reason: unknown) => cutting.abort(reason);
  const download = begin(cut);
  let right: LastingRight | undefined;
  let untaken = 0;
  const close = async () => {
    download.end();
    await Promise.all([right?.stop(), source.return(undefined)]);
  };
  const next = async () => {
    download.took(untaken);
    cutting.signal.throwIfAborted();
    right?.check();
    const { done, value } = await source.next();
    untaken = done ? 0 : value.length;
    return done ? undefined : value;
  };
  try {
    const first = await next();
    if (first !== undefined && first.length < length) right = watch(cut);
    return { first, next, cut: cutting.signal, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * The bytes, as many as the answer has announced: whoever asks for more over the same connection would take what is too much for the
 * beginning of the next answer, and the next answer for what is missing.
 */
async function* exactly(source: AsyncGenerator<Uint8Array>, length: number): AsyncGenerator<Uint8Array> {
  let left = length;
  for await (const chunk of source) {
    left -= chunk.length;
    if (left < 0) throw missingBytes('This file is longer than it was.');
    yield chunk;
  }
  if (left > 0) throw missingBytes('This file is shorter than it was.');
}

/**
 * Sends the bytes as the answer, directly to the connection if there is one: a web stream would copy them, and allocate
 * memory for each chunk.
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
    outgoing.writeHead(status, [...answer.headers, ...c.var.asker.replyHeaders].flat());
    for (let chunk = bytes.first; chunk !== undefined; chunk = await bytes.next()) {
      const taken = Promise.withResolvers<'taken'>();
      outgoing.write(chunk, error => (error ? leave() : taken.resolve('taken')));
      if (socket.destroyed || (await Promise.race([taken.promise, gone.promise])) === 'gone') break;
    }
    bytes.cut.throwIfAborted();
    outgoing.end();
  } catch (error) {
    // It is too late for an error answer. The connection is closed, so that nobody takes the part for the whole file.
    if (bytes.cut.aborted) c.var.log.info({ reason: String(error) }, 'a download was cut');
    else c.var.log.error({ err: error }, 'a file could not be read to its end');
    outgoing.destroy();
  } finally {
    socket.off('close', leave);
    await bytes.close();
  }
  return RESPONSE_ALREADY_SENT;
}

function webStream(bytes: Bytes) {
  let known = bytes.first;
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      pull: async controller => {
        try {
          const chunk = known ?? (await bytes.next());
          known = undefined;
          if (chunk !== undefined) return controller.enqueue(new Uint8Array(chunk));
          controller.close();
        } catch (error) {
          controller.error(error);
        }
        await bytes.close();
      },
      cancel: () => bytes.close(),
    },
    { highWaterMark: 0 },
  );
}
