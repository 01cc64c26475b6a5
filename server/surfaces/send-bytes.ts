import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context } from 'hono';
import { outgoingOf, type RequestVariables } from '../http/request.ts';
import type { LastingRight } from './lasting-right.ts';

/** Bytes under way. `next` throws once the right to them has ended; `close` must be called in the end. */
type Bytes = {
  first: Uint8Array | undefined;
  next(): Promise<Uint8Array | undefined>;
  ended: AbortSignal | undefined;
  close(): Promise<void>;
};

/** What is wrong with the bytes is known before the answer begins. A right is watched over where one piece is not all. */
export async function startReading(
  source: AsyncGenerator<Uint8Array>,
  length: number,
  watch: () => LastingRight,
): Promise<Bytes> {
  const next = async () => {
    const { done, value } = await source.next();
    return done ? undefined : value;
  };
  const first = await next();
  const right = first === undefined || first.length >= length ? undefined : watch();
  return {
    first,
    next: async () => {
      right?.check();
      return await next();
    },
    ended: right?.ended,
    close: async () => {
      right?.stop();
      await source.return(undefined);
    },
  };
}

/**
 * The bytes as the answer. Straight to the connection where there is one: by way of a web stream they would be copied,
 * and the memory of each chunk would be new.
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
  bytes.ended?.addEventListener('abort', leave);
  try {
    outgoing.writeHead(status, [...answer.headers, ...c.var.asker.reply].flat());
    for (let chunk = bytes.first; chunk !== undefined; chunk = await bytes.next()) {
      const taken = Promise.withResolvers<'taken'>();
      outgoing.write(chunk, error => (error ? leave() : taken.resolve('taken')));
      if (socket.destroyed || (await Promise.race([taken.promise, gone.promise])) === 'gone') break;
    }
    bytes.ended?.throwIfAborted();
    outgoing.end();
  } catch (error) {
    // Too late for another answer: cut short, so that nobody takes the part for the whole.
    if (bytes.ended?.aborted) c.var.log.info('a download was ended with the right to it');
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
