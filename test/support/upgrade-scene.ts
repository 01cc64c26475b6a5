import { execFile, execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir, readFile, readlink, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inject } from 'vitest';
import { holdsWithin, isReady } from '../../server/cli/upgrade/ready.ts';
import { environment, program } from '../processes/built.ts';
import { essay, publish } from './factories.ts';
import { freePort } from './free-port.ts';
import { type Location, openSite } from './site.ts';

const server = join(inject('programs'), 'test-server.js');
const node = process.execPath;

/** systemctl of a machine with one service. */
const systemctlProgram = `#!/bin/sh
note=$0.pid
lives() { grep -q '^State:[[:space:]]*[^Z[:space:]]' "/proc/$(cat "$note")/status"; }
for last; do :; done
[ "$last" = coterie ] || exit 4
case $1 in
is-active) lives ;;
is-failed) ! lives ;;
stop) if lives; then kill "$(cat "$note")"; fi; while lives; do sleep 0.02; done ;;
start) setsid "$(dirname "$0")/../coterie/coterie" start > /dev/null 2>&1 & echo $! > "$note" ;;
esac 2> /dev/null
`;

/** What a version does otherwise than this one: shell commands before a command, by its name. */
type Otherwise = { start?: string; doctor?: string; version?: string };

/** The SHA-256 of a file, in hexadecimal. */
export const sumOf = async (file: string): Promise<string> =>
  createHash('sha256')
    .update(await readFile(file))
    .digest('hex');

/** A shell command that changes a SQLite database. */
export const changing = (sql: string) =>
  `${node} -e "new (require('node:sqlite').DatabaseSync)(process.env.DATA_DIR + '/coterie.db').exec(\\"${sql}\\")"`;

/** A shell command that migrates the database to the schema of a later version. */
export const migratingLater = `${node} ${join(import.meta.dirname, '../faults/later-process.ts')}`;

/** Archives of versions and a site that a service runs, in the folder of a test. */
export function upgradeScene(at: (...names: string[]) => string) {
  const makeVersion = async (folder: string, name: string, otherwise: Otherwise) => {
    await mkdir(join(folder, name), { recursive: true });
    const cases = Object.entries(otherwise).map(([command, first]) => `${command}) ${first} ;;\n`);
    const script = `#!/bin/sh\ncase "$1" in\n${cases.join('')}esac\n[ "$1" != start ] || exec ${node} ${server}\nexec ${node} ${program} "$@"\n`;
    await writeFile(join(folder, name, 'coterie'), script, { mode: 0o755 });
  };

  /** The archive of another version, with its check sum. */
  const release = async (version: string, otherwise: Otherwise = {}): Promise<string> => {
    const name = `coterie-${version}-linux-x64`;
    await makeVersion(at('releases'), name, otherwise);
    const file = at(`releases/${name}.tar.gz`);
    execFileSync('tar', ['-czf', file, '-C', at('releases'), name]);
    await writeFile(at('releases/SHA256SUMS'), `${await sumOf(file)}  ${name}.tar.gz\n`);
    return file;
  };

  /** A site with a post that a member has opened. It is not started. */
  const install = async ({ dataDir, databaseUrl }: Location) => {
    const site = await openSite({ dataDir, databaseUrl });
    const [admin, member] = [await site.admin(), await site.member(['friends'])];
    const [id = ''] = await publish(site, admin, essay({ title: 'On rivers', tags: ['friends'] }));
    await site.call(member, 'noteOpened', { postIds: [id] });
    await publish(site, admin, essay({ title: 'On hills' }));
    await site.close();
    await makeVersion(at('.'), 'coterie-1.0.0-linux-x64', {});
    await symlink('coterie-1.0.0-linux-x64', at('coterie'));
    await mkdir(at('bin'));
    await writeFile(at('bin/systemctl'), systemctlProgram, { mode: 0o755 });
    const port = String(await freePort());
    const env = {
      ...environment,
      PATH: `${at('bin')}:${process.env.PATH}`,
      DATA_DIR: dataDir,
      ...(databaseUrl && { DATABASE_URL: databaseUrl }),
      HOST: '127.0.0.1',
      PORT: port,
      LOG_LEVEL: 'silent',
    };
    const commandLine = (args: string[]) => [program, 'upgrade', '--link', at('coterie'), ...args];
    return {
      id,
      upgrade: (...args: string[]) =>
        promisify(execFile)(node, commandLine(args), { env }).then(
          ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
          ({ code, stdout, stderr }) => ({ code, output: `${stdout}${stderr}` }),
        ),
      /** Begins an upgrade. `end` sends it SIGTERM, and waits until nothing of it runs. */
      beginUpgrade: (...args: string[]) => {
        const child = spawn(node, commandLine(args), { env, stdio: ['ignore', 'pipe', 'ignore'] });
        const closed = once(child.stdout.resume(), 'close');
        return {
          end: async () => {
            child.kill();
            await closed;
          },
        };
      },
      /** Runs something while the service runs, whose unit has more settings. */
      whileRunning: async (run: () => Promise<void>, ofUnit = {}) => {
        const systemctl = (what: string) =>
          promisify(execFile)(at('bin/systemctl'), [what, 'coterie'], { env: { ...env, ...ofUnit } });
        await systemctl('start');
        try {
          const url = `http://127.0.0.1:${{ ...env, ...ofUnit }.PORT}`;
          const hasEnded = () => false;
          if (!(await holdsWithin(60_000, () => isReady(url), hasEnded)))
            throw new Error('It does not start.');
          await run();
        } finally {
          await systemctl('stop');
        }
      },
      /** The titles that a visitor of the running site sees. */
      titles: async () => {
        const headers = { 'content-type': 'application/json' };
        const asked = { method: 'POST', headers, body: '{"data":{}}' };
        const answer = await fetch(`http://127.0.0.1:${port}/api/getPosts`, asked);
        return (await answer.json()).result.posts.map((post: { title: string }) => post.title);
      },
      /** The folder that the link leads to. */
      linked: () => readlink(at('coterie')),
      /** What is beside the link. */
      installed: () => readdir(at('.')),
      /** What is in the folder of the backups; nothing where there is none yet. */
      backups: () => readdir(join(dataDir, 'backups')).catch(() => []),
    };
  };

  return { release, install };
}
