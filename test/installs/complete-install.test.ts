import { execFile } from 'node:child_process';
import { cp, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';

const root = join(import.meta.dirname, '../..');
const packageName = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
const { at, write } = temporaryFolder();

const here = { os: [process.platform], cpu: [process.arch], optional: true };
const lock = {
  packages: {
    'node_modules/sharp': {},
    'node_modules/left-out': here,
    'node_modules/for-building': { ...here, dev: true },
    'node_modules/elsewhere': { ...here, cpu: ['pdp11'] },
    'node_modules/everywhere': { optional: true },
  },
};
/** An npm that notes how it is run, and installs what it is told by INSTALLS. */
const npm = `
  const { mkdirSync, writeFileSync } = require('node:fs');
  console.log(process.version, process.argv.slice(2).join(' '));
  for (const name of process.env.INSTALLS.split(' ')) {
    mkdirSync('node_modules/' + name, { recursive: true });
    writeFileSync('node_modules/' + name + '/package.json', '{}');
  }
`;

beforeEach(async () => {
  for (const name of ['bin', 'package.json', 'scripts/complete-install.cjs'])
    await cp(join(root, name), at(name), { recursive: true });
  await write({
    'package-lock.json': JSON.stringify(lock),
    'npm/package.json': '{}',
    'npm/npm-cli.js': npm,
    'node_modules/sharp/package.json': '{}',
    'node_modules/vite/package.json': '{}',
  });
  await symlink(join(root, 'node_modules', packageName), at('node_modules', packageName));
});

async function complete(installs: string, { isOlder = true } = {}) {
  const args = isOlder ? ['--require', join(import.meta.dirname, 'older-node.cjs')] : [];
  const env = { PATH: process.env.PATH, npm_execpath: at('npm/npm-cli.js'), INSTALLS: installs };
  return await new Promise<{ code: unknown; out: string; problems: string }>(resolve => {
    execFile(
      process.execPath,
      [...args, at('scripts/complete-install.cjs')],
      { env },
      (error, out, problems) => resolve({ code: error?.code ?? 0, out, problems }),
    );
  });
}

it('what npm left out under an older Node.js is added by the same npm under Node.js 24', async () => {
  const { code, out } = await complete('left-out for-building');
  expect(out.split('\n')).toEqual([
    "npm under Node.js v18.20.8 left out packages that need a newer one; Coterie's own adds them.",
    `${process.version} install --no-save --ignore-scripts --no-audit --no-fund --prefer-offline`,
    '',
  ]);
  expect(code).toBe(0);
  // Nothing is left to add.
  expect(await complete('')).toEqual({ code: 0, out: '', problems: '' });
});

it('what is still missing is named in one sentence', async () => {
  const { code, problems } = await complete('left-out');
  expect(problems).toBe(
    'Packages are missing: for-building. Run "npm ci --include=optional" with Node.js 24.\n',
  );
  expect(code).toBe(1);
  expect(await complete('', { isOlder: false })).toEqual({ code: 1, out: '', problems });
});

it('a build without packages says how to install them', async () => {
  await mkdir(at('empty'));
  for (const name of ['bin', 'package.json', 'scripts/complete-install.cjs', 'package-lock.json'])
    await cp(at(name), at('empty', name), { recursive: true });
  const problem = await new Promise<string>(resolve => {
    execFile(process.execPath, [at('empty/scripts/complete-install.cjs')], (_error, _out, problems) =>
      resolve(problems),
    );
  });
  expect(problem).toBe('The packages of Coterie are not installed: run "npm ci" first.\n');
});
