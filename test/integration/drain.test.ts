import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { expect, it } from 'vitest';
import { postgresClient } from '../../server/db/postgres.ts';
import { freePort } from '../conformance/server.ts';
import { scratchFolder } from '../scratch.ts';

it('a process that is told to stop says so, goes on answering while it drains, and ends when told again', async () => {
  const dataDir = await mkdtemp(join(scratchFolder(), 'coterie-drain-'));
  const port = await freePort();
  const env = {
    ...process.env,
    DATA_DIR: dataDir,
    HOST: '127.0.0.1',
    PORT: String(port),
    DRAIN_SECONDS: '600',
  };
  const program = join(import.meta.dirname, '../started-process.ts');
  const child = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  try {
    await once(child, 'message');
    const ask = async (path: string) => {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { connection: 'close' } });
      return [answer.status, await answer.text()];
    };
    expect(await ask('/readyz')).toEqual([200, 'ready\n']);
    child.kill('SIGTERM');
    while ((await ask('/readyz'))[0] === 200);
    expect(await ask('/readyz')).toEqual([503, 'stopping\n']);
    expect(await ask('/healthz')).toEqual([200, 'ok\n']);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  } finally {
    child.kill('SIGKILL');
    await rm(dataDir, { recursive: true, force: true });
  }
});

it.each([
  ['disable', false],
  ['require', { rejectUnauthorized: false }],
  ['verify-full', {}],
])('sslmode=%s means what it means to other programs', (mode, ssl) => {
  const url = `postgres://me:secret@db.example/blog?sslmode=${mode}`;
  const client = new pg.Client(postgresClient(url)) as pg.Client & { connectionParameters: { ssl: unknown } };
  expect(client.connectionParameters.ssl).toEqual(ssl);
});
