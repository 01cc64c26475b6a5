import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server as HttpServer } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { createAdaptorServer } from '@hono/node-server';
import S3rver from 's3rver';
import { scratchFolder } from '../scratch.ts';
import { type Location, openSite, type Site } from '../site.ts';

export type Served = { site: Site; port: number; close(): Promise<void> };

/**
 * A site on a socket of its own, as a program reaches it. `behind`: the port by which its addresses name it, when
 * something stands in front.
 */
export async function serveSite(
  location: Location,
  environment: Record<string, string> = {},
  behind?: number,
): Promise<Served> {
  const port = await freePort();
  const site = await openSite(location, {
    PUBLIC_URL: `http://127.0.0.1:${behind ?? port}`,
    ...environment,
  });
  const server = createAdaptorServer({ fetch: site.app.fetch }) as HttpServer;
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    site,
    port,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await site.close();
    },
  };
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** A line to a server that breaks after each of these numbers of bytes have been sent, then holds. */
export async function breakingLine(
  listenOn: number,
  to: number,
  breakAfter: number[],
): Promise<{ breaks: () => number; close(): void }> {
  const sockets = new Set<Socket>();
  let breaks = 0;
  const server = createTcpServer(client => {
    const upstream = connect(to, '127.0.0.1');
    let sent = 0;
    const end = () => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', end).on('close', () => {
        sockets.delete(socket);
        end();
      });
    }
    client.on('data', chunk => {
      sent += chunk.length;
      if (breakAfter[0] !== undefined && sent > breakAfter[0]) {
        breakAfter.shift();
        breaks += 1;
        // What has been handed over arrives; the answer does not.
        upstream.write(chunk, end);
        return;
      }
      if (!upstream.write(chunk)) {
        client.pause();
        upstream.once('drain', () => client.resume());
      }
    });
    upstream.pipe(client);
  });
  server.listen(listenOn, '127.0.0.1');
  await once(server, 'listening');
  return {
    breaks: () => breaks,
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** An S3 server in this process. `url`: what FILES_URL is set to. */
export async function startS3(): Promise<{ url: string; close(): Promise<void> }> {
  const directory = await mkdtemp(join(scratchFolder(), 'coterie-s3-'));
  const server = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory,
    configureBuckets: [{ name: 'coterie-files', configs: [] }],
  });
  const { port } = await server.run();
  return {
    url: `s3://S3RVER:S3RVER@127.0.0.1:${port}/coterie-files/blog?http=1`,
    close: async () => {
      await server.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
