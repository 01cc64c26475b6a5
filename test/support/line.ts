import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { listen } from './listen.ts';

/** A connection to a server that passes through here, so that it can fall silent or lead elsewhere. */
export type Line = {
  /** The address of the server, by way of the line. */
  url: string;
  /** From now on nothing passes any more, and neither end is notified. */
  fallSilent(): void;
  speakAgain(): void;
  /** Ends all connections, and leads new ones to another server. */
  pointTo(server: string): void;
  close(): void;
};

export async function openLine(server: string): Promise<Line> {
  const sockets = new Set<Socket>();
  let isSilent = false;
  let target = new URL(server);
  const listener = createServer(client => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const [from, into] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('data', chunk => isSilent || into.write(chunk));
      from.on('error', () => into.destroy());
      from.on('close', () => {
        sockets.delete(from);
        into.destroy();
      });
    }
  });
  await listen(listener);
  const address = new URL(server);
  address.port = String((listener.address() as AddressInfo).port);
  const endAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: address.href,
    fallSilent: () => {
      isSilent = true;
    },
    speakAgain: () => {
      isSilent = false;
    },
    pointTo: to => {
      target = new URL(to);
      endAll();
    },
    close: () => {
      listener.close();
      endAll();
    },
  };
}
