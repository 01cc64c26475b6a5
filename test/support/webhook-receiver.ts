import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { onTestFinished, vi } from 'vitest';
import { listen } from './listen.ts';

type Received = { method: string; path: string; headers: Record<string, string>; body: string };

/**
 * A server on the loopback that is told of events; it answers 200, or the statuses that it was given first.
 */
export async function startReceiver() {
  const received: Received[] = [];
  const answers: { status: number; location?: string }[] = [];
  const server = createServer(async (request, response) => {
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    );
    const body = Buffer.concat(await request.toArray()).toString();
    received.push({ method: request.method ?? '', path: request.url ?? '', headers, body });
    const { status, ...more } = answers.shift() ?? { status: 200 };
    response.writeHead(status, more).end('What it says is kept nowhere.');
  });
  await listen(server);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: (path: string) => `http://127.0.0.1:${port}${path}`,
    answer: (...next: typeof answers) => answers.push(...next),
    /** What has arrived since it was last asked. */
    received: () => received.splice(0),
  };
}

/** What was sent, if it is signed with the secret. Throws otherwise; `now` is the time of the site. */
export function verified({ headers, body }: Received, secret: string, now: number): unknown {
  vi.useFakeTimers({ toFake: ['Date'], now });
  try {
    return new Webhook(secret).verify(body, headers);
  } finally {
    vi.useRealTimers();
  }
}
