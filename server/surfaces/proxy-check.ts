import type { Hono } from 'hono';
import { createId } from '../base/id.ts';
import type { Deps } from '../deps.ts';
import type { RequestVariables } from '../http/request.ts';

/** How long after its first line the stream ends: a buffering proxy passes both on at once. Milliseconds. */
const openMs = 1_000;

/**
 * `GET /proxy-check`: the site requests it from itself through PUBLIC_URL (system/proxy.ts). A stream that
 * must not be stored, whose first line differs each time.
 */
export function proxyCheckSurface(
  app: Hono<RequestVariables>,
  { limits, pause }: Pick<Deps, 'limits' | 'pause'>,
): void {
  app.get('/proxy-check', async c => {
    await limits.countVisit(c.var.requestIdentity.network);
    return c.body(streamOf(lines(pause)), 200, {
      'content-type': 'text/event-stream',
      'cache-control': 'private, no-store',
      'x-accel-buffering': 'no',
    });
  });
}

async function* lines(pause: Deps['pause']): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  yield encoder.encode(`data: ${createId()}\n\n`);
  await pause(openMs);
  yield encoder.encode('data: end\n\n');
}

function streamOf(parts: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await parts.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: async () => void (await parts.return(undefined)),
  });
}
