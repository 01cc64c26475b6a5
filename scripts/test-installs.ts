import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { freePort } from '../test/support/free-port.ts';

/**
 * `npm run test:installs -- --node 18 --npm 9.2.0`: the README's two commands and the tarball, in a fresh
 * clone of the last commit, with other people's Node.js and npm, until the first page is answered. Without
 * options: all pairs below. A pair takes two minutes of a processor, and downloads that Node.js from the
 * registry.
 */
const pairs = [
  ['18', '9.2.0'],
  ['18', '10.8.2'],
  ['20', '9.2.0'],
  ['20', '10.9.4'],
  ['22', '10.9.4'],
  ['22', '11'],
  ['24', '11'],
] as const;
const { values } = parseArgs({ options: { node: { type: 'string' }, npm: { type: 'string' } } });
const chosen =
  values.node !== undefined && values.npm !== undefined ? [[values.node, values.npm] as const] : pairs;

const root = join(import.meta.dirname, '..');
const work = await mkdtemp(join(tmpdir(), 'coterie-installs-'));
/** What npm has downloaded already. */
const sharedCache = process.env.npm_config_cache ?? join(homedir(), '.npm');
/** What the machine has beside Node.js; this run's own Node.js and packages must not be found. */
const system = ['/usr/local/bin', '/usr/bin', '/bin'];

try {
  for (const [node, npm] of chosen) await tryInstall(node, npm);
} finally {
  await rm(work, { recursive: true, force: true });
}

async function tryInstall(node: string, npm: string): Promise<void> {
  const place = join(work, `${node}-${npm}`);
  const tools = join(place, 'tools');
  // npx looks for packages of the whole machine there.
  await mkdir(join(tools, 'lib'), { recursive: true });
  // npx keeps what it has installed in the cache, by the path of the tarball: each pair installs it itself.
  const cache = join(place, 'cache');
  await mkdir(cache);
  await symlink(join(sharedCache, '_cacache'), join(cache, '_cacache'));
  const own = { PATH: [dirname(process.execPath), ...system].join(delimiter) };
  const options = ['--prefix', tools, '--no-audit', '--no-fund', '--prefer-offline', '--loglevel', 'error'];
  await must(
    'npm',
    ['install', ...options, `node-${process.platform}-${process.arch}@${node}`, `npm@${npm}`],
    own,
  );
  // npm starts `node` from the path: a folder with nothing but these three.
  const bin = join(tools, 'bin');
  await mkdir(bin);
  const program = join(tools, `node_modules/node-${process.platform}-${process.arch}/bin/node`);
  for (const [name, line] of Object.entries({
    node: program,
    npm: `node "${join(tools, 'node_modules/npm/bin/npm-cli.js')}"`,
    npx: `node "${join(tools, 'node_modules/npm/bin/npx-cli.js')}"`,
  })) {
    await writeFile(join(bin, name), `#!/bin/sh\nexec ${line} "$@"\n`);
    await chmod(join(bin, name), 0o755);
  }
  const env = { PATH: [bin, ...system].join(delimiter), npm_config_prefix: tools, npm_config_cache: cache };
  const clone = join(place, 'clone');
  await must('git', ['clone', '--quiet', root, clone], env);
  await must('npm', ['ci', '--prefer-offline', '--no-audit', '--no-fund'], env, clone);
  await answers(`Node.js ${node}, npm ${npm}: npm ci && npm start`, 'npm', ['start'], env, clone);
  await must('npm', ['pack', '--ignore-scripts', '--silent'], env, clone);
  const empty = join(place, 'empty');
  await mkdir(empty);
  const tarball = '../clone/coterie-0.1.0.tgz';
  const what = `Node.js ${node}, npm ${npm}: npx with the tarball`;
  if (Number(node) >= 20) await answers(what, 'npx', ['--yes', tarball], env, empty);
  else {
    await saysWhatIsMissing(what, 'npx', ['--yes', tarball], env, empty);
    // What the sentence says.
    const newer = ['--yes', '-p', 'node@24', '-p', 'npm@11', 'npm', 'install', tarball];
    await must('npx', newer, env, empty);
    await answers(`Node.js ${node}, npm ${npm}: the tarball, installed`, 'npx', ['coterie'], env, empty);
  }
  await rm(place, { recursive: true, force: true });
}

/** Under Node.js 18 npm leaves out what reads pictures: the start must say so and end. */
async function saysWhatIsMissing(
  what: string,
  command: string,
  args: readonly string[],
  env: Record<string, string>,
  cwd: string,
): Promise<void> {
  const child = spawn(command, args, {
    cwd,
    env: { ...cleanEnvironment(env), PORT: String(await freePort()) },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  // One that starts all the same would run for ever.
  child.stdout.on('data', (chunk: Buffer) => {
    if (chunk.includes('Coterie is running at') && child.pid !== undefined) process.kill(-child.pid);
  });
  const [problems, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  const sentence = problems.split('\n').find(line => line.startsWith('Pictures cannot be read'));
  console.log(`${sentence === undefined ? 'FAILS' : 'works'}: ${what}: ${sentence}, ended with ${code}`);
  if (sentence === undefined || code === 0) throw new Error(problems);
}

/**
 * Starts the site, asks for its first page, and stops it: a signal must reach it, and it must end by itself.
 * The signal goes to all its processes, as Ctrl+C does: npx of npm 9 and 10 leaves a program that it started
 * running when only npx gets SIGTERM.
 */
async function answers(
  what: string,
  command: string,
  args: readonly string[],
  env: Record<string, string>,
  cwd: string,
): Promise<void> {
  const port = await freePort();
  const settings = { ...cleanEnvironment(env), HOST: '127.0.0.1', PORT: String(port), LOG_LEVEL: 'info' };
  const child = spawn(command, args, {
    cwd,
    env: settings,
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  const exited = once(child, 'exit');
  let output = '';
  let page = '';
  for await (const chunk of outputOf(child)) {
    output += chunk;
    if (page !== '' || !output.includes('Coterie is running at') || !output.includes('?token=')) continue;
    const setup = /http\S+\/setup\?token=\S+/.exec(output)?.[0] ?? '';
    page = `${await pageAt(`http://127.0.0.1:${port}/`)}, ${await pageAt(setup)}`;
    if (child.pid !== undefined) process.kill(command === 'npx' ? -child.pid : child.pid, 'SIGTERM');
  }
  const [code] = await exited;
  const isRight =
    page === '200 Coterie, 200 Set up your site · Coterie, with a form' &&
    (code === 0 || command === 'npx') &&
    output.includes('Coterie has stopped');
  console.log(`${isRight ? 'works' : 'FAILS'}: ${what}: ${page}, ended with ${code}`);
  if (!isRight) throw new Error(output);
}

/** What a browser would be answered there: the status, the title of the page, and whether it has a form. */
async function pageAt(address: string): Promise<string> {
  const answer = await fetch(address);
  const page = await answer.text();
  const form = page.includes('<form') ? ', with a form' : '';
  return `${answer.status} ${/<title>(.*)<\/title>/.exec(page)?.[1]}${form}`;
}

function outputOf(child: ChildProcess) {
  if (child.stdout === null) throw new Error('The child has no output.');
  return child.stdout;
}

async function must(command: string, args: string[], env: Record<string, string>, cwd = work): Promise<void> {
  const child = spawn(command, args, { cwd, env: cleanEnvironment(env), stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}.`);
}

/** Without what the npm that runs this script has set for itself. */
function cleanEnvironment(env: Record<string, string>): NodeJS.ProcessEnv {
  const ofNpm = /^(npm_.*|NODE|NODE_ENV|NODE_OPTIONS|INIT_CWD)$/;
  const others = Object.entries(process.env).filter(([name]) => !ofNpm.test(name));
  return { ...Object.fromEntries(others), ...env };
}
