import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runnerImport } from 'vite';

/**
 * `node test/releases/make.ts 0.1.0 postgres://user:password@host/empty` keeps two sites of this version for
 * the tests that upgrade them: `0.1.0-sqlite.tar.gz` and `0.1.0-postgres.tar.gz`, each a data folder, that of
 * PostgreSQL with a dump of the database by `pg_dump`, which must not be older than the server.
 */
const [release, databaseUrl] = process.argv.slice(2);
if (release === undefined || databaseUrl === undefined) {
  throw new Error('Please name the release and an empty database of PostgreSQL.');
}
// What renders pages is no plain TypeScript.
const { module } = await runnerImport<typeof import('./fill.ts')>(join(import.meta.dirname, 'fill.ts'));

for (const [engine, url] of [
  ['sqlite', undefined],
  ['postgres', databaseUrl],
] as const) {
  const dataDir = await mkdtemp(join(tmpdir(), 'coterie-release-'));
  await module.makeSite({ dataDir, databaseUrl: url });
  if (url !== undefined) {
    execFileSync('pg_dump', ['--inserts', '--no-owner', '-f', join(dataDir, 'dump.sql'), url]);
  }
  const kept = join(import.meta.dirname, `${release}-${engine}.tar.gz`);
  execFileSync('tar', ['-czf', kept, '-C', dataDir, '.']);
  await rm(dataDir, { recursive: true });
}
