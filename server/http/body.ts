import type { IncomingMessage } from 'node:http';
import type { Context } from 'hono';
import { AppError } from '../../contract/errors.ts';
import { incomingOf } from './request.ts';

/** How long the body of a call may take, in milliseconds. */
const bodyWithinMs = 30_000;

/**
 * Counts a body as it arrives. Each piece costs memory and time, however small it is: a slow network makes
 * fewer than this allows.
 */
export class BodyCount {
  #bytes = 0;
  #pieces = 0;
  readonly #maxBytes: number;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Throws invalid-argument for too many bytes or pieces. */
  add({ length }: Uint8Array): void {
    this.#bytes += length;
    this.#pieces += 1;
    if (this.#bytes > this.#maxBytes) throw new AppError('invalid-argument', 'This request is too large.');
    if (this.#pieces > 1_000 + this.#bytes / 256)
      throw new AppError('invalid-argument', 'This request arrives in too many pieces.');
  }
}

/**
 * The body as text. Throws invalid-argument as soon as it is longer than `maxBytes` or has too many pieces,
 * without waiting for the rest; resource-exhausted where bodies under way hold too much; cancelled if the
 * client breaks it off; deadline-exceeded if it takes too long.
 */
export function readBody(c: Context, maxBytes: number): Promise<string> {
  const reading: Reading = { giveUp: () => {} };
  return withinTime(readText(c, maxBytes, reading), reading);
}

/** Set once a body is read from a socket. An AbortSignal for each call takes longer than reading it. */
type Reading = { giveUp(): void };

async function readText(c: Context, maxBytes: number, reading: Reading): Promise<string> {
  const incoming = incomingOf(c);
  if (incoming !== undefined) return await readIncoming(incoming, maxBytes, reading);
  const chunks: Uint8Array[] = [];
  const count = new BodyCount(maxBytes);
  for await (const chunk of c.req.raw.body ?? []) {
    count.add(chunk);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/**
 * What bodies under way may hold of this process's memory together, in bytes. The beginning of each is not
 * counted, so that small ones are read at any time.
 */
const mostHeld = 64 * 1024 * 1024;
const uncounted = 256 * 1024;
let held = 0;

/** Reads directly from the socket: through a web stream it takes three times as long. */
function readIncoming(incoming: IncomingMessage, maxBytes: number, reading: Reading): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const count = new BodyCount(maxBytes);
    let ownHeld = 0;
    const settle = (act: () => void) => {
      held -= ownHeld;
      incoming.off('data', take).off('end', end).off('close', lost);
      act();
    };
    const take = (chunk: Buffer) => {
      try {
        count.add(chunk);
        chunks.push(chunk);
        const more = Math.max(count.bytes - uncounted, 0) - ownHeld;
        ownHeld += more;
        held += more;
        if (held > mostHeld)
          throw new AppError('resource-exhausted', 'Too much is being sent at once. Please try again.');
      } catch (error) {
        fail(error);
      }
    };
    const fail = (error: unknown) => {
      // Not destroyed, because an answer is still to be sent.
      incoming.pause();
      settle(() => reject(error));
    };
    const end = () =>
      settle(() => resolve((chunks[1] ? Buffer.concat(chunks) : chunks[0])?.toString() ?? ''));
    const lost = () => settle(() => reject(new AppError('cancelled', 'The request was aborted.')));
    reading.giveUp = () => fail(tooLate());
    // An empty body may have ended before it is read.
    if (incoming.readableEnded) resolve('');
    else if (incoming.destroyed) lost();
    else incoming.on('data', take).on('end', end).on('close', lost);
  });
}

const tooLate = () => new AppError('deadline-exceeded', 'This request took too long to arrive.');

function withinTime<T>(body: Promise<T>, reading: Reading): Promise<T> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const late = () => {
      reject(tooLate());
      reading.giveUp();
    };
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
