import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openDatabase } from '../server/db/connect.ts';
import { anyFolder, folderStore } from '../server/files/store/folder-store.ts';
import { archiveFile } from '../server/moving/archive/source.ts';
import { verifyArchive } from '../server/moving/archive/verify.ts';
import { createDatabase, dropDatabase, startPostgres } from '../test/support/postgres.ts';
import { insertInBatches } from './seed/batches.ts';
import { seedSite } from './seed/seed.ts';

/*
 * Moves a site with volume from SQLite to PostgreSQL and back, each step in a separate process as `coterie` runs it.
 * Prints how long each takes and how much memory, and whether all three sites hold the same.
 */
const { values } = parseArgs({
  options: {
    posts: { type: 'string', default: '100000' },
    'file-bytes': { type: 'string', default: '4096' },
  },
});
const posts = Number(values.posts);
const fileBytes = Number(values['file-bytes']);
const program = join(import.meta.dirname, '../server/cli/main.ts');

const folder = await mkdtemp(join(tmpdir(), 'coterie-bench-archive-'));
const postgres = await startPostgres();
const databaseUrl = await createDatabase(postgres.url);
try {
  const places = {
    first: { DATA_DIR: join(folder, 'first') },
    second: { DATA_DIR: join(folder, 'second'), DATABASE_URL: databaseUrl },
    third: { DATA_DIR: join(folder, 'third') },
  };
  await seed(places.first.DATA_DIR);
  const archives = ['one.tar', 'two.tar', 'three.tar'].map(name => join(folder, name));
  const [one = '', two = '', three = ''] = archives;
  await step('SQLite: export and verify', places.first, ['export', one]);
  console.log(`  the archive has ${((await stat(one)).size / 1024 ** 2).toFixed(0)} MiB`);
  await step('PostgreSQL: restore', places.second, ['restore', one]);
  await step('PostgreSQL: doctor', places.second, ['doctor']);
  await step('PostgreSQL: export and verify', places.second, ['export', two]);
  await step('SQLite: restore', places.third, ['restore', two]);
  await step('SQLite: doctor', places.third, ['doctor']);
  await step('SQLite: export and verify', places.third, ['export', three]);
  const contents = await Promise.all(archives.map(contentOf));
  console.log(new Set(contents).size === 1 ? 'All three sites hold the same.' : 'THE SITES DIFFER.');
} finally {
  await dropDatabase(databaseUrl);
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}

/** A seeded site in which each post has a different file. */
async function seed(dataDir: string): Promise<void> {
  const { db, close } = await openDatabase({ dataDir, databaseUrl: undefined });
  await seedSite(db, { posts, members: 1_000, tags: 60, comments: posts, likes: 3 * posts, randomSeed: 1 });
  const store = folderStore(join(dataDir, 'files'), anyFolder);
  const ids = await db.selectFrom('posts').select('id').orderBy('id').execute();
  const staged = join(dataDir, 'staged');
  await insertInBatches(db, ids, async (trx, batch) => {
    const now = Date.now();
    const rows = batch.map(({ id }) => ({
      id: id.split('').reverse().join(''),
      path: `posts/${id}/a.bin`,
      name: 'a.bin',
      type: 'application/octet-stream',
      size: fileBytes,
      digest: '',
      md5: null,
      uploader_id: null,
      created_at: now,
      width: null,
      height: null,
      placeholder: null,
      variants: '[]',
    }));
    for (const { id } of rows) {
      await writeFile(staged, randomBytes(fileBytes));
      await store.put(id, staged);
      await rm(staged);
    }
    await trx.insertInto('files').values(rows).execute();
    const carried = batch.map(({ id }, index) => ({ post_id: id, file_id: rows[index]?.id ?? '' }));
    await trx.insertInto('post_files').values(carried).execute();
  });
  await close();
}

/** Runs a command on a site and prints its time and its largest memory. */
async function step(name: string, place: Record<string, string>, args: string[]): Promise<void> {
  const start = performance.now();
  const child = spawn(process.execPath, [program, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, ...place },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  let peak = 0;
  const timer = setInterval(async () => {
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '');
    peak = Math.max(peak, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0));
  }, 100);
  const [code] = await once(child, 'exit');
  clearInterval(timer);
  const seconds = ((performance.now() - start) / 1_000).toFixed(1);
  console.log(
    `${name}: ${seconds} s, ${(peak / 1024).toFixed(0)} MB${code === 0 ? '' : `, FAILED with ${code}`}`,
  );
}

async function contentOf(file: string): Promise<string> {
  const { kinds, files, missing, site } = (await verifyArchive(await archiveFile(file))).manifest;
  return JSON.stringify({ kinds, files, missing, site });
}
