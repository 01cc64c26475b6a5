import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { Server as HttpServer } from 'node:http';
import { join } from 'node:path';
import { createAdaptorServer } from '@hono/node-server';
import S3rver from 's3rver';
import { freePort } from '../support/free-port.ts';
import { scratchFolder } from '../support/scratch.ts';
import { type Location, openSite, type Site } from '../support/site.ts';

export type Served = { site: Site; port: number; close(): Promise<void> };

/**
 * A site on a socket of its own, as a program reaches it. `behind`: the port by which its addresses name it,
 * when something stands in front.
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

/** An S3 server in this process. `url`: what FILES_URL is set to. */
export async function startS3(): Promise<{ url: string; close(): Promise<void> }> {
  const directory = await mkdtemp(join(scratchFolder(), 'coterie-s3-'));
  const server = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory,
    configureBuckets: ['coterie-files', 'bucket'].map(name => ({ name, configs: [] })),
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
