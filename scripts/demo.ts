import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readConfig } from '../server/config.ts';
import { openDeps } from '../server/open-deps.ts';
import { fillDemo } from './demo/fill.ts';
import { admin, password, people } from './demo/people.ts';

/**
 * `npm run demo`: a filled site in ./data/demo, or in DATA_DIR, and a server for it. A second run continues
 * with the same site.
 */
const dataDir = process.env.DATA_DIR || 'data/demo';
// The demonstration must not use a real site's database, nor the files, mails and address of a `.env` in this
// folder.
const environment = {
  SITE_TITLE: 'The Lockhouse',
  FILES_URL: '',
  SMTP_URL: '',
  PUBLIC_URL: '',
  ...process.env,
  DATA_DIR: dataDir,
  DATABASE_URL: '',
};

if (existsSync(join(dataDir, 'coterie.db'))) {
  console.log(`The site in ${dataDir} is used as it is. Delete the folder to begin again.`);
} else {
  // The site is made elsewhere and then moved, so that an interrupted run leaves no incomplete site.
  const unfinished = join(dataDir, 'unfinished');
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { recursive: true });
  const config = readConfig({ LOG_LEVEL: 'warn', ...environment, DATA_DIR: unfinished });
  const { close, ...deps } = await openDeps(config);
  try {
    await fillDemo(deps);
  } finally {
    await close();
  }
  // The database last: with it the site counts as complete.
  await rm(join(dataDir, 'files'), { recursive: true, force: true });
  await rename(join(unfinished, 'files'), join(dataDir, 'files'));
  await rename(join(unfinished, 'coterie.db'), join(dataDir, 'coterie.db'));
  await rm(unfinished, { recursive: true, force: true });
}

const accounts = [
  [admin.email, 'the admin'],
  ...people.map(({ email, status, tags }) => [
    email,
    status === 'approved' ? ['approved', ...tags].join(', ') : status,
  ]),
];
console.log(`\nAccounts, all with the password ${password}:\n`);
for (const [email, role] of accounts) console.log(`  ${email?.padEnd(22)} ${role}`);

const server = spawn(process.execPath, [join(import.meta.dirname, '../bin/coterie.js'), 'start'], {
  stdio: 'inherit',
  env: { ...environment, LOG_LEVEL: process.env.LOG_LEVEL ?? 'warn' },
});
// A terminal sends Ctrl+C to both; a process manager only to this one.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => server.kill(signal));
server.on('exit', code => process.exit(code ?? 1));
