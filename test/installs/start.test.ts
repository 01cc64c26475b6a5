import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';

const root = join(import.meta.dirname, '../..');
const older = ['--require', join(import.meta.dirname, 'older-node.cjs')];
const packageName = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
const { at, write } = temporaryFolder();

/** What the program prints of itself, and then waits to be told to stop. */
const program = `
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => { console.log(signal); process.exit(7); });
  if (process.argv.includes('wait')) setInterval(() => {}, 1_000);
  const { execArgv, pid, version, env } = process;
  const memory = Object.fromEntries(Object.entries(env).filter(([name]) => name.startsWith('MALLOC_')));
  console.log(JSON.stringify({ execArgv, pid, version, memory, args: process.argv.slice(2), path: env.PATH }));
`;

beforeEach(async () => {
  await cp(join(root, 'bin'), at('bin'), { recursive: true });
  await cp(join(root, 'package.json'), at('package.json'));
  await write({ 'dist/server/main.js': program });
});

function start(options: string[], args: string[], env: NodeJS.ProcessEnv = {}) {
  const child = spawn(process.execPath, [...options, at('bin/coterie.js'), ...args], {
    env: { PATH: '/nothing', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return { child, ended: ended(child) };
}

async function ended(child: ChildProcess) {
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error('The child has no output.');
  const [out, problems, [code, signal]] = await Promise.all([
    text(stdout),
    text(stderr),
    once(child, 'exit'),
  ]);
  return { out, problems, code, signal };
}

it('under Node.js 24 the program takes the place of the first file, with its number, flags and settings for memory', async () => {
  const { child, ended } = start([], ['export', 'a b']);
  const { out, code } = await ended;
  const found = JSON.parse(out);
  expect(found).toMatchObject({
    pid: child.pid,
    args: ['export', 'a b'],
    execArgv: ['--heap-growing-percent=30', '--min-semi-space-size=4', '--max-semi-space-size=16'],
    memory: { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '131072', MALLOC_MMAP_THRESHOLD_: '131072' },
  });
  expect(code).toBe(0);
});

it('an import has the flags of Node.js alone', async () => {
  const { out } = await start([], ['import', 'a folder']).ended;
  expect(JSON.parse(out)).toMatchObject({ execArgv: [], memory: { MALLOC_ARENA_MAX: '1' } });
});

it('flags and settings for memory that are given stay', async () => {
  const env = { MALLOC_ARENA_MAX: '2', NODE_OPTIONS: '--max-semi-space-size=32' };
  const { out } = await start(['--heap-growing-percent=50'], [], env).ended;
  expect(JSON.parse(out)).toMatchObject({
    execArgv: ['--min-semi-space-size=4', '--heap-growing-percent=50'],
    memory: { MALLOC_ARENA_MAX: '2' },
  });
});

it('a program that is not built says so', async () => {
  await cp(join(root, 'bin'), at('elsewhere/bin'), { recursive: true });
  await cp(join(root, 'package.json'), at('elsewhere/package.json'));
  const child = spawn(process.execPath, [at('elsewhere/bin/coterie.js')], { stdio: 'pipe' });
  const { problems, code } = await ended(child);
  expect([problems, code]).toEqual(['Coterie is not built yet: run "npm run build".\n', 1]);
});

it('an older Node.js without the package with Node.js 24 names it and how to get it in one sentence', async () => {
  const { problems, code } = await start(older, []).ended;
  expect(problems).toBe(
    `Coterie needs Node.js 24 or newer. This is v18.20.8, and the package ${packageName}, which has it, is missing: ` +
      'run "npm ci", or install Node.js from https://nodejs.org/en/download.\n',
  );
  expect(code).toBe(1);
});

it('an older Node.js on a machine for which there is no package with Node.js 24 says so in one sentence', async () => {
  const { problems, code } = await start(older, [], { TEST_ARCH: 'ppc64' }).ended;
  expect(problems).toBe(
    `Coterie needs Node.js 24 or newer. This is v18.20.8, and there is no package with it for ${process.platform}-ppc64: ` +
      'install Node.js from https://nodejs.org/en/download.\n',
  );
  expect(code).toBe(1);
});

describe('with the package', () => {
  beforeEach(async () => {
    await mkdir(at('node_modules'));
    await symlink(join(root, 'node_modules', packageName), at('node_modules', packageName));
  });

  it('the Node.js of the package runs the program, without node_modules/.bin/node, and is the first that children find', async () => {
    const { out, code } = await start(older, ['doctor']).ended;
    const { path, ...found } = JSON.parse(out);
    expect(found).toMatchObject({ version: process.version, args: ['doctor'] });
    expect(path.split(':')[0]).toContain(join(packageName, 'bin'));
    expect(code).toBe(0);
  });

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    it(`the program gets ${signal} once, and its exit code is passed on`, async () => {
      const { child, ended } = start(older, ['wait']);
      child.stdout?.once('data', () => child.kill(signal));
      const { out, code } = await ended;
      expect(out.trim().split('\n').slice(1)).toEqual([signal]);
      expect(code).toBe(7);
    });
  }

  it('a program that is killed by a signal ends the first file with the same signal', async () => {
    const { child, ended } = start(older, ['wait']);
    child.stdout?.once('data', (line: Buffer) => process.kill(JSON.parse(line.toString()).pid, 'SIGKILL'));
    expect(await ended).toMatchObject({ code: null, signal: 'SIGKILL' });
  });
});
