import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { inject } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { compiled } from './built.ts';

/** The whole server in a process of its own (server.ts), listening, with these settings. */
export async function startProcess(settings: Record<string, string>) {
  const port = await freePort();
  const env = { ...process.env, ...compiled, HOST: '127.0.0.1', PORT: String(port), ...settings };
  const program = join(inject('programs'), 'test-server.js');
  const child = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  let errors = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  // All that it prints has been read by then.
  const ended = once(child, 'close') as Promise<[code: number | null, signal: string | null]>;
  await Promise.race([
    once(child, 'message'),
    ended.then(() => {
      throw new Error(`The server did not start: ${errors}`);
    }),
  ]);
  return {
    port,
    child,
    ended,
    /** What it has printed to its error stream. */
    errors: () => errors,
  };
}
