import type { Writable } from 'node:stream';
import pino, { type LevelWithSilent, type Logger } from 'pino';

/**
 * The log: plain lines at a terminal, otherwise one JSON object per line. The lines are made in this process,
 * because the bundle could not start a worker from its file.
 */
export async function createLog(
  { logLevel }: { logLevel: LevelWithSilent },
  terminal: Writable | undefined = process.stdout.isTTY ? process.stdout : undefined,
): Promise<Logger> {
  const options = {
    level: logLevel,
    // No credentials may reach the log, whatever code logs a request or an error.
    redact: ['*.headers.cookie', '*.headers.authorization', '*.password', '*.token'],
  };
  if (terminal === undefined) return pino(options);
  const { default: pretty } = await import('pino-pretty');
  const lines = pretty({
    destination: terminal,
    sync: true,
    singleLine: true,
    ignore: 'pid,hostname',
    translateTime: 'SYS:HH:MM:ss',
  });
  return pino(options, lines);
}
