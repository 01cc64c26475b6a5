import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { openDatabase } from '../../server/db/connect.ts';
import { environment, program } from '../processes/built.ts';
import { coterie, makeFolder } from '../support/commands.ts';
import { firestoreExport } from '../support/firestore-export.ts';
import { insertUser } from '../support/people.ts';

it('coterie import assigns imported posts to the account that --author names, for one name of the source or for all', async () => {
  const folder = await makeFolder();
  const { db, close } = await openDatabase({ dataDir: join(folder, 'data'), databaseUrl: undefined });
  for (const username of ['mina', 'lucy'])
    await insertUser(db, { username, name: username, status: 'approved', approved_at: Date.now() });
  await mkdir(join(folder, 'posts'));
  for (const [name, author] of Object.entries({ one: 'Miss Westenra', two: 'Nobody', three: '' })) {
    await writeFile(join(folder, 'posts', `${name}.md`), `---\ntitle: ${name}\nauthor: ${author}\n---\nUp.`);
  }
  const wrong = await coterie(folder, ['import', 'posts', '--author', 'Miss Westenra=renfield']);
  expect(wrong).toEqual({ code: 1, output: 'There is no user renfield.\n' });
  const authors = ['--author', 'Miss Westenra=lucy', '--author', 'mina'];
  const { code, output } = await coterie(folder, ['import', 'posts', ...authors]);
  expect([code, output]).toEqual([0, expect.stringContaining('  Miss Westenra: 1 (lucy)\n')]);
  expect(output).toContain('  Nobody: 1 (mina)\n');
  const posts = await db
    .selectFrom('posts')
    .innerJoin('users', 'users.id', 'posts.author_id')
    .select(['title', 'username'])
    .execute();
  expect(Object.fromEntries(posts.map(({ title, username }) => [title, username]))).toEqual({
    one: 'lucy',
    two: 'mina',
    three: 'mina',
  });
  await close();
});

it('coterie import begins the report of an import with what everybody may read, and keeps all of its lines in a file', async () => {
  const folder = await makeFolder();
  const { close } = await openDatabase({ dataDir: join(folder, 'data'), databaseUrl: undefined });
  await close();
  await mkdir(join(folder, 'notes'));
  for (let number = 10; number < 35; number += 1)
    await writeFile(join(folder, 'notes', `${number}.md`), `Words ${number}. {{< odd >}}`);
  await writeFile(join(folder, 'notes/closed.md'), '---\ntags: family\n---\nNot for all.');
  const { code, output } = await coterie(folder, ['import', 'notes']);
  expect([code, output]).toEqual([
    0,
    expect.stringMatching(/^25 posts open to everybody, visitors included:\n/),
  ]);
  expect(output).toContain('10.md: Words 10.');
  expect(output).toContain('and 5 more.');
  expect(output).toContain(
    '1 of 26 published posts that the source does not restrict is visible here only to',
  );
  const path = join(folder, 'data/reports/import.txt');
  expect(output).toContain(`The whole report is in ${path}.`);
  const whole = await readFile(path, 'utf8');
  expect(whole).not.toContain('more.');
  expect(whole.match(/these shortcodes stay as words/g)).toHaveLength(25);
  expect((await coterie(folder, ['import', 'notes', '--leave-tags-out'])).output).toMatch(/^26 posts open /);
});

it('coterie import imports a Firebase project, and writes nothing in a dry run, wherever its options stand', async () => {
  const folder = await makeFolder();
  const { close } = await openDatabase({ dataDir: join(folder, 'data'), databaseUrl: undefined });
  await close();
  await mkdir(join(folder, 'export'));
  const post = { type: 'short', content: 'A few words.', isDraft: false, tags: ['friends'], createdAt: null };
  await writeFile(join(folder, 'export/output-0'), firestoreExport({ 'posts/abc': post }));
  const dry = await Promise.all([
    coterie(folder, ['import', 'firebase', 'export', '--dry-run']),
    coterie(folder, ['import', 'firebase', '--dry-run', 'export']),
  ]);
  for (const { code, output } of dry) {
    expect([code, output]).toEqual([0, expect.stringContaining('Posts (nothing is written): 1 created.')]);
  }
  const posts = async () => {
    const { db, close: closeAgain } = await openDatabase({
      dataDir: join(folder, 'data'),
      databaseUrl: undefined,
    });
    const rows = await db.selectFrom('posts').select('id').execute();
    await closeAgain();
    return rows;
  };
  expect(await posts()).toEqual([]);
  expect(await coterie(folder, ['import', 'firebase', 'export', '--hash-config', 'none.txt'])).toEqual({
    code: 1,
    output: 'The file none.txt cannot be read.\n',
  });
  const { code, output } = await coterie(folder, ['import', 'firebase', 'export']);
  expect([code, output]).toEqual([0, expect.stringMatching(/Posts: 1 created\.[\s\S]*friends: 1/)]);
  expect(await posts()).toEqual([{ id: 'abc' }]);
});

it('a name that comes from others cannot control the terminal', async () => {
  const folder = await makeFolder();
  await mkdir(join(folder, 'walks'));
  await writeFile(join(folder, 'walks', 'a\u001b]0;owned\u0007\nNo problems found.md'), '');
  const { output } = await coterie(folder, ['import', 'walks']);
  expect(output).toContain('  a\\u001b]0;owned\\u0007\\u000aNo problems found.md: it has no text');
  expect(output).not.toContain('\u001b');
});

it('an import whose output nobody reads is saved, with its report', async () => {
  const folder = await makeFolder();
  const { close } = await openDatabase({ dataDir: join(folder, 'data'), databaseUrl: undefined });
  await close();
  await mkdir(join(folder, 'posts'));
  await writeFile(join(folder, 'posts/one.md'), 'Words.');
  const options = { cwd: folder, env: environment };
  const running = spawn(process.execPath, [program, 'import', 'posts'], options);
  running.stdout.destroy();
  const [problems, [code]] = await Promise.all([text(running.stderr), once(running, 'exit')]);
  expect([code, problems]).toEqual([0, '']);
  expect(await readFile(join(folder, 'data/reports/import.txt'), 'utf8')).toContain('Posts: 1 created.');
});
