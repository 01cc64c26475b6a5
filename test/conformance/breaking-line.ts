import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A line to a server that breaks after each of these numbers of bytes have been sent, then holds. */
export async function breakingLine(
  listenOn: number,
  to: number,
  breakAfter: number[],
): Promise<{ breaks: () => number; close(): void }> {
  const sockets = new Set<Socket>();
  let breaks = 0;
  const server = createServer(client => {
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
