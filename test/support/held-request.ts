import { once } from 'node:events';
import { createServer, type IncomingMessage, request as send } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';
import { listen } from './listen.ts';
import type { Site } from './site.ts';

const numberHeader = 'x-held-request';

export type Answer = { status: number; headers: Headers; text: string };
/** A request of which all but the last byte has been sent, and whose body the server has begun to read. */
export type HeldRequest = { finish(): Promise<Answer> };

export type Listening = {
  url: string;
  hold(
    path: string,
    init: { method: string; headers: Record<string, string>; body: Buffer },
  ): Promise<HeldRequest>;
  close(): Promise<void>;
};

/** A site on a real socket, for requests that take their time. */
export async function listenOn(site: Site): Promise<Listening> {
  const server = createServer(getRequestListener(site.app.fetch));
  const url = `http://127.0.0.1:${await listen(server)}`;
  let held = 0;
  const arrivals = new Map<string, (incoming: IncomingMessage) => void>();
  server.on('request', incoming => arrivals.get(String(incoming.headers[numberHeader]))?.(incoming));
  return {
    url,
    hold: async (path, { method, headers, body }) => {
      // Several are held at once: each is known by its number.
      const number = String(held++);
      const { promise: arrived, resolve } = Promise.withResolvers<IncomingMessage>();
      arrivals.set(number, resolve);
      // On a connection of its own: the server may just be closing one that was used before.
      const sent = send(url + path, {
        agent: false,
        method,
        headers: { ...headers, [numberHeader]: number, 'content-length': body.length },
      });
      const answered = once(sent, 'response');
      sent.write(body.subarray(0, -1));
      let isAnswered = false;
      sent.once('response', () => {
        isAnswered = true;
      });
      const incoming = await Promise.race([arrived, failed(answered)]);
      // Whoever reads the body has found out before who sends it.
      while (incoming.listenerCount('data') + incoming.listenerCount('readable') === 0) {
        if (isAnswered) throw new Error(`${path} was answered before its body had come.`);
        await turn();
      }
      return {
        finish: async () => {
          sent.end(body.subarray(-1));
          const [response] = (await answered) as [IncomingMessage];
          const chunks: Buffer[] = [];
          for await (const chunk of response) chunks.push(chunk as Buffer);
          const answerHeaders = new Headers();
          for (const [name, value] of Object.entries(response.headers))
            answerHeaders.set(name, String(value));
          return {
            status: response.statusCode ?? 0,
            headers: answerHeaders,
            text: Buffer.concat(chunks).toString(),
          };
        },
      };
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

/** Throws what an answer that never comes is thrown for, and nothing else. */
async function failed(answered: Promise<unknown>): Promise<never> {
  await answered;
  throw new Error('The request was answered before it arrived.');
}
