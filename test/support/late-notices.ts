import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Type of the message by which PostgreSQL passes a notice on (protocol 3.0, NotificationResponse). */
const notice = 'A'.charCodeAt(0);

/**
 * A proxy before a PostgreSQL server that delivers each notice `delayMs` late, and twice, and everything else
 * unchanged. `url` is its address, without a database.
 */
export async function startLateNotices(
  server: string,
  delayMs: number,
): Promise<{ url: string; stop(): Promise<void> }> {
  const { hostname, port, username, password } = new URL(server);
  const sockets = new Set<Socket>();
  const proxy = createServer(client => {
    const upstream = connect(Number(port), hostname);
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    client.pipe(upstream);
    upstream.on('data', passOn(client, delayMs));
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const { port: ownPort } = proxy.address() as AddressInfo;
  return {
    url: `postgres://${username}:${password}@127.0.0.1:${ownPort}`,
    stop: async () => {
      proxy.close();
      for (const socket of sockets) socket.destroy();
      await once(proxy, 'close');
    },
  };
}

/**
 * Takes what a server sends, and passes it on message by message: a type of one byte, and a length that
 * counts itself.
 */
function passOn(client: Socket, delayMs: number): (chunk: Buffer) => void {
  let unread: Buffer = Buffer.alloc(0);
  return chunk => {
    unread = Buffer.concat([unread, chunk]);
    while (unread.length >= 5) {
      const end = 1 + unread.readUInt32BE(1);
      if (unread.length < end) return;
      const message = unread.subarray(0, end);
      unread = unread.subarray(end);
      if (message[0] !== notice) client.write(message);
      else
        setTimeout(() => {
          if (!client.destroyed) client.write(Buffer.concat([message, message]));
        }, delayMs);
    }
  };
}
