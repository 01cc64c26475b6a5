import type { IncomingMessage } from 'node:http';
import type { Context } from 'hono';
import { AppError } from '../../contract/errors.ts';
import { incomingOf } from './request.ts';

/** How long the body of a call may take, in milliseconds. */
const bodyWithinMs = 30_000;

/**
 * The body as text. Throws invalid-argument as soon as it is longer than `maxBytes`, without waiting for the
 * rest; cancelled if the client breaks it off; deadline-exceeded if it takes too long.
 */
export function readBody(c: Context, maxBytes: number): Promise<string> {
  return withinTime(readText(c, maxBytes));
}

async function readText(c: Context, maxBytes: number): Promise<string> {
  const incoming = incomingOf(c);
  if (incoming !== undefined) return await readIncoming(incoming, maxBytes);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of c.req.raw.body ?? []) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** Reads directly from the socket: through a web stream it takes three times as long. */
function readIncoming(incoming: IncomingMessage, maxBytes: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const settle = (act: () => void) => {
      incoming.off('data', take).off('end', end).off('close', lost);
      act();
    };
    const take = (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      if (size <= maxBytes) return;
      // Not destroyed, because an answer is still to be sent.
      incoming.pause();
      settle(() => reject(tooLarge()));
    };
    const end = () =>
      settle(() => resolve((chunks[1] ? Buffer.concat(chunks) : chunks[0])?.toString() ?? ''));
    const lost = () => settle(() => reject(new AppError('cancelled', 'The request was aborted.')));
    // An empty body may have ended before it is read.
    if (incoming.readableEnded) resolve('');
    else if (incoming.destroyed) lost();
    else incoming.on('data', take).on('end', end).on('close', lost);
  });
}

function tooLarge(): AppError {
  return new AppError('invalid-argument', 'This request is too large.');
}

function withinTime<T>(body: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const late = () => reject(new AppError('deadline-exceeded', 'This request took too long to arrive.'));
    // Most bodies arrive with their headers. For them a timer would take longer than reading.
    const wait = setImmediate(() => {
      timer = setTimeout(late, bodyWithinMs);
    });
    const settle = () => {
      clearImmediate(wait);
      clearTimeout(timer);
    };
    body.then(resolve, reject).finally(settle);
  });
}
