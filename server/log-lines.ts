import type { Writable } from 'node:stream';
import type { DestinationStream } from 'pino';

/**
 * Plain lines for a person who watches at a terminal; undefined anywhere else, where the log is JSON, a line each, for
 * programs. In this process and not in a worker, which the bundle could not start by its file.
 */
export async function logLines(
  out: Writable & { isTTY?: boolean } = process.stdout,
): Promise<DestinationStream | undefined> {
  if (out.isTTY !== true) return undefined;
  const { default: pretty } = await import('pino-pretty');
  return pretty({
    destination: out,
    sync: true,
    singleLine: true,
    ignore: 'pid,hostname',
    translateTime: 'SYS:HH:MM:ss',
  });
}
