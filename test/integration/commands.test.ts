import { readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openDatabase } from '../../server/db/connect.ts';
import { coterie, makeFolder } from '../support/commands.ts';
import { listen } from '../support/listen.ts';

it('the command line examines and lists an existing site, and does not make a new one', async () => {
  const [nowhere, here] = await Promise.all([makeFolder(), makeFolder()]);
  const { close } = await openDatabase({ dataDir: join(here, 'data'), databaseUrl: undefined });
  await close();
  const [doctor, list, migrate, healthy, migrated] = await Promise.all([
    coterie(nowhere, ['doctor']),
    coterie(nowhere, ['user', 'list']),
    coterie(nowhere, ['migrate']),
    coterie(here, ['doctor']),
    coterie(here, ['migrate']),
  ]);
  for (const { code, output } of [doctor, list, migrate]) {
    expect([code, output]).toEqual([
      1,
      expect.stringContaining(`There is no site in ${join(nowhere, 'data')} that this user can read.`),
    ]);
  }
  expect(await readdir(nowhere)).toEqual([]);
  expect(healthy).toEqual({ code: 0, output: 'No problems found.\n' });
  expect(migrated.output).toContain('The database has the schema of this version: ');
  const { db, close: closeAgain } = await openDatabase({
    dataDir: join(here, 'data'),
    databaseUrl: undefined,
  });
  expect(await db.selectFrom('settings').select('name').execute()).toEqual([{ name: 'least-writer' }]);
  await closeAgain();
});

it('the command line writes posts to a new archive of Markdown, and over none that is there', async () => {
  const folder = await makeFolder();
  const { close } = await openDatabase({ dataDir: join(folder, 'data'), databaseUrl: undefined });
  await close();
  const exported = () => coterie(folder, ['export', '--markdown', 'posts.zip']);
  expect(await exported()).toEqual({ code: 0, output: 'Wrote 0 posts and 0 files to posts.zip.\n' });
  expect(await exported()).toEqual({
    code: 1,
    output: expect.stringMatching(/^[^\n]*posts\.zip exists already\.\n$/),
  });
  expect((await readdir(folder)).sort()).toEqual(['data', 'posts.zip']);
});

it('the command line lists and approves users with all that is needed to decide', async () => {
  const folder = await makeFolder();
  const { db, close } = await openDatabase({ dataDir: join(folder, 'data'), databaseUrl: undefined });
  const date = '2026-01-02T00:00:00.000Z';
  for (const [username, email_verified] of [
    ['mina', false],
    ['lucy', true],
  ] as const) {
    await db
      .insertInto('users')
      .values({
        id: username,
        name: `Full ${username}`,
        email: `${username}@example.com`,
        email_verified,
        image: null,
        created_at: date,
        updated_at: date,
        username,
        display_username: username,
        is_admin: false,
        approved_at: null,
        denied_at: null,
      })
      .execute();
  }
  await close();
  const list = await coterie(folder, ['user', 'list']);
  expect(list.output).toBe(
    'lucy\tpending\t2026-01-02\tlucy@example.com\tFull lucy\t\n' +
      'mina\tpending\t2026-01-02\tmina@example.com\tFull mina\taddress not confirmed\n',
  );
  const approved = await coterie(folder, ['user', 'approve', 'mina']);
  expect(approved.output).toBe('mina is approved. Nobody has confirmed the address mina@example.com.\n');
});

it('the command line prints the history of rights as lines and as JSON, of one person and from a day on', async () => {
  const folder = await makeFolder();
  const { db, close } = await openDatabase({ dataDir: join(folder, 'data'), databaseUrl: undefined });
  const row = {
    actor_id: null,
    actor_name: null,
    via: 'command-line',
    via_name: 'root',
    address: null,
  } as const;
  const entry = (id: string, date: string, user_name: string) =>
    ({
      ...row,
      id,
      at: Date.parse(date),
      kind: 'user-denied',
      user_id: id,
      user_name,
      detail: '{}',
    }) as const;
  await db
    .insertInto('history')
    .values([entry('h1', '2026-01-01T12:00:00Z', 'mina'), entry('h2', '2026-01-02T12:00:00Z', 'lucy')])
    .execute();
  await close();
  const [all, ofMina, since, wrong] = await Promise.all([
    coterie(folder, ['history']),
    coterie(folder, ['history', '--user', 'Mina', '--json']),
    coterie(folder, ['history', '--since', '2026-01-02']),
    coterie(folder, ['history', '--since', 'lately']),
  ]);
  const [lucys, minas] = ['lucy', 'mina'].map(
    (name, index) =>
      `2026-01-0${2 - index}T12:00:00.000Z\tSomebody at the command line denied ${name}.\tcommand line, as root\n`,
  );
  expect(all).toEqual({ code: 0, output: `${lucys}${minas}` });
  expect(JSON.parse(ofMina.output)).toMatchObject({ id: 'h1', kind: 'user-denied', user: { name: 'mina' } });
  expect(since).toEqual({ code: 0, output: lucys });
  expect(wrong).toEqual({ code: 1, output: 'lately is not a date. Write it like 2026-01-31.\n' });
});

it('the command line says in a sentence why a site cannot be made or opened in a place', async () => {
  const folder = await makeFolder();
  const command = ['import', '.'];
  const [device, database] = await Promise.all([
    // Nobody can make a folder there, not even root.
    coterie(folder, command, {
      DATA_DIR: process.platform === 'linux' ? '/proc/coterie/data' : '/dev/null/data',
    }),
    coterie(folder, command, { DATABASE_URL: `postgres://mina:quincey@localhost:1/blog` }),
  ]);
  expect([device.code, device.output]).toEqual([
    1,
    expect.stringMatching(/^The folder \/\w+\/\w+\/data cannot be made: .+\.\n$/),
  ]);
  expect([database.code, database.output]).toEqual([
    1,
    expect.stringMatching(
      `^Could not open the PostgreSQL database blog at localhost:1: .*ECONNREFUSED.*\\.\n$`,
    ),
  ]);
  expect(database.output).not.toContain('quincey');

  await writeFile(join(folder, 'notes.txt'), 'words');
  for (const DATA_DIR of [join(folder, 'notes.txt'), join(folder, 'notes.txt/data')]) {
    const output = `DATA_DIR is ${DATA_DIR}, which is no folder.\n`;
    expect(await coterie(folder, ['doctor'], { DATA_DIR })).toEqual({ code: 1, output });
  }
});

it('the command line says where its settings come from, and which version it is, without a site', async () => {
  const folder = await makeFolder();
  await writeFile(join(folder, '.env'), "PORT=3001\nSITE_TITLE='Notes # of Mina'\nLOG_LEVEL=loud\n");
  const [config, version] = await Promise.all([
    coterie(folder, ['config'], { LOG_LEVEL: 'warn' }),
    coterie(folder, ['version', '--json']),
  ]);
  const file = join(folder, '.env');
  expect(config.output).toMatch(new RegExp(`^PORT +3001 {2}\\(${file}\\)$`, 'm'));
  expect(config.output).toMatch(new RegExp(`^SITE_TITLE +Notes # of Mina {2}\\(${file}\\)$`, 'm'));
  expect(config.output).toMatch(/^LOG_LEVEL +warn {2}\(the environment\)$/m);
  expect(JSON.parse(version.output)).toEqual({
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    schema: expect.stringMatching(/^\d{4}-/),
    node: process.versions.node,
    machine: `${process.platform}-${process.arch}`,
  });
});

it('the command line takes its settings from the file that SETTINGS_FILE names, which must be there', async () => {
  const folder = await makeFolder();
  // With the byte order mark of an editor of Windows.
  await writeFile(join(folder, 'site.env'), '\uFEFFPORT=3002\n');
  await writeFile(join(folder, '.env'), 'PORT=3001\n');
  const [there, missing] = await Promise.all([
    coterie(folder, ['config'], { SETTINGS_FILE: 'site.env' }),
    coterie(folder, ['config'], { SETTINGS_FILE: 'none.env' }),
  ]);
  expect(there.output).toMatch(new RegExp(`^PORT +3002 {2}\\(${join(folder, 'site.env')}\\)$`, 'm'));
  expect([missing.code, missing.output]).toEqual([
    1,
    `The file ${join(folder, 'none.env')} does not exist.\n`,
  ]);
});

it('the command line says whether the process on this machine is ready', async () => {
  const folder = await makeFolder();
  const answers = [200, 503];
  const server = createServer((_, response) => response.writeHead(answers.shift() ?? 500).end('said\n'));
  const port = await listen(server);
  const health = () => coterie(folder, ['health'], { HOST: '127.0.0.1', PORT: String(port) });
  expect(await health()).toEqual({ code: 0, output: 'said\n' });
  const address = `http://127.0.0.1:${port}/readyz`;
  expect(await health()).toEqual({ code: 1, output: `${address}: 503 said\n` });
  server.close();
  const reason = `fetch failed (connect ECONNREFUSED 127.0.0.1:${port})`;
  expect(await health()).toEqual({ code: 1, output: `${address} does not answer: ${reason}.\n` });
});
