import type { Writable } from 'node:stream';
import type { DestinationStream } from 'pino';

/**
 * A stream that prints the log as plain lines, for a person at a terminal; undefined elsewhere, where the log is one
 * JSON object per line, for programs. It runs in this process, because the bundle could not start a worker by its file.
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
