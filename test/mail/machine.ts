import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import type { Input, OperationName, Output } from '../../contract/operations.ts';
import { blockWith, type Words } from '../../scripts/package/hosting.ts';
import { dayMs } from '../../server/base/clock.ts';
import { freePort } from '../support/free-port.ts';
import { openSite, type Person, type Site } from '../support/site.ts';
import { untilListening } from '../support/until-listening.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
/** The system user who owns the site: mail servers run programs as no system account that may do more. */
export const owner = { name: 'nobody', uid: 65_534, gid: 65_534 };

/** The address at which the site of docs/hosting.md takes mail. */
export const replyAddress = 'reply+{}@blog.example';

/** A folder that everybody may enter, and that goes with the test. */
export async function openFolder(name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `coterie-${name}-`));
  await chmod(folder, 0o755);
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** The block of docs/hosting.md with these words; its paths and its user become those of this test. */
export function documented(words: Words<'mail'>, { folder, program }: Installed): string {
  return blockWith(words)
    .replaceAll('/usr/bin/coterie', program)
    .replaceAll('/var/lib/coterie', folder)
    .replaceAll(/\b(user ?= ?)coterie\b/g, (_, name: string) => name + owner.name);
}

/** Where a site was installed: its data folder, and its command, as the Debian package has it. */
export type Installed = { folder: string; program: string };

/** A site in a folder of its own, and the built command with its settings. */
export async function install(settings: Record<string, string>) {
  const place = await openFolder('site');
  const port = await freePort();
  const path = (name: string) => join(place, name);
  const [folder, program, env, built] = [path('data'), path('coterie'), path('coterie.env'), path('built')];
  await mkdir(folder);
  const all = {
    ...{ DATA_DIR: folder, PUBLIC_URL: `http://localhost:${port}`, PORT: String(port), HOST: '127.0.0.1' },
    ...{
      MAIL_REPLY_ADDRESS: replyAddress,
      MAIL_FROM: 'The Lockhouse <blog@blog.example>',
      LOG_LEVEL: 'warn',
    },
    ...settings,
  };
  await writeFile(
    env,
    Object.entries(all)
      .map(([name, value]) => `${name}='${value}'\n`)
      .join(''),
  );
  const start = await readFile(join(root, 'deploy/debian/coterie'), 'utf8');
  const own = start.replace('/etc/coterie/coterie.env', env).replaceAll('/usr/lib/coterie/coterie', built);
  await writeFile(program, own);
  await writeFile(built, `#!/bin/sh\nexec ${process.execPath} ${join(root, 'bin/coterie.js')} "$@"\n`);
  await chmod(built, 0o755);
  await chmod(program, 0o755);
  let child: ChildProcess | undefined;
  const stop = async () => {
    if (child === undefined) return;
    const ended = once(child, 'exit');
    child.kill();
    child = undefined;
    await ended;
  };
  onTestFinished(stop);
  return {
    folder,
    program,
    env,
    /** What the command starts, which is exchanged by an upgrade. */
    built,
    /** Fills the site before it starts, as its people do. */
    fill: async <T>(work: (s: Site) => Promise<T>): Promise<T> => {
      const s = await openSite({ dataDir: folder, databaseUrl: undefined }, { PUBLIC_URL: all.PUBLIC_URL });
      // Its clock is that of the machine from then on.
      const made = async () => {
        const filled = await work(s);
        const now = Date.now();
        await s.deps.db
          .updateTable('sessions')
          .set({ created_at: new Date(now).toISOString(), expires_at: new Date(now + dayMs).toISOString() })
          .execute();
        return filled;
      };
      const result = await made().finally(s.close);
      await run('chown', ['-R', `${owner.uid}:${owner.gid}`, folder]);
      return result;
    },
    start: async () => {
      child = spawn(program, ['start'], {
        uid: owner.uid,
        gid: owner.gid,
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      await untilListening(port, child, 'The site did not start.');
    },
    stop,
    /** Takes the data away, as a disk that is not mounted; and brings it back. */
    hide: () => rename(folder, `${folder}-away`),
    show: () => rename(`${folder}-away`, folder),
    call: async <Name extends OperationName>(
      as: Person,
      name: Name,
      data: Input<Name>,
    ): Promise<Output<Name>> => {
      const answer = await fetch(`${all.PUBLIC_URL}/api/${name}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          origin: all.PUBLIC_URL,
          ...(as !== null && { cookie: as.cookie }),
        },
        body: JSON.stringify({ data }),
      });
      const body = await answer.json();
      if (!answer.ok) throw new Error(`${name}: ${JSON.stringify(body)}`);
      return body.result;
    },
    page: async (path: string, as: Person) =>
      await (
        await fetch(all.PUBLIC_URL + path, { headers: as === null ? {} : { cookie: as.cookie } })
      ).text(),
  };
}

/** A machine with a site and a mail server, which hands mails to the site. */
export type Machine = {
  site: Awaited<ReturnType<typeof install>>;
  server: {
    url: string;
    mails(): Promise<string[]>;
    log(): Promise<string>;
    /** The mails that wait; empty for none. */
    queue(): Promise<string>;
    flush(): Promise<unknown>;
  };
};
