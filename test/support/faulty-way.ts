import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A way to a store on which, while it is said so, the last byte of each piece of a backup changes, or reading
 * one breaks off.
 */
export async function faultyWay(storeUrl: string) {
  const { hostname, port } = new URL(storeUrl);
  const server = createServer((asked, answer) => {
    const { method, url: path, headers } = asked;
    const onward = request({ hostname, port, method, path, headers }, async found => {
      answer.writeHead(found.statusCode ?? 500, found.headers);
      for await (const chunk of found as AsyncIterable<Buffer>) {
        const last = chunk.length - 1;
        const isReading = method === 'GET' && path?.includes('/backup-');
        if (isReading && way.fault === 'breaks') {
          answer.destroy();
          return;
        }
        if (isReading && way.fault === 'changes') chunk[last] = (chunk[last] ?? 0) ^ 1;
        answer.write(chunk);
      }
      answer.end();
    });
    asked.pipe(onward);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = new URL(storeUrl);
  url.port = String((server.address() as AddressInfo).port);
  const close = async () => {
    server.closeAllConnections();
    await new Promise(resolve => void server.close(resolve));
  };
  const way = { url: url.href, fault: undefined as 'changes' | 'breaks' | undefined, close };
  return way;
}
