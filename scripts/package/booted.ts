import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

/** A Debian whose systemd runs, with processes and a network of its own. */
export type Booted = {
  /** Runs a script there as root, and returns what it prints. Throws where it fails. */
  run(script: string): string;
  /** A program of this machine, in the network of the Debian. */
  inNetwork(program: string): string;
  stop(): Promise<void>;
};

/** Boots the Debian in a folder. It needs systemd-nspawn, and a machine that allows it to mount. */
export async function boot(folder: string, work: string): Promise<Booted> {
  const options = [
    '--boot',
    '--private-network',
    '--console=pipe',
    '--register=no',
    '--keep-unit',
    '--quiet',
  ];
  const container = spawn('systemd-nspawn', ['--directory', folder, ...options], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(container, 'exit');
  const init = await firstProcess(container);
  // Its processes end with the first of them, and not with systemd-nspawn.
  const kill = () => container.exitCode === null && process.kill(Number(init), 'SIGKILL');
  process.once('exit', kill);
  const stop = async () => {
    process.off('exit', kill);
    kill();
    await ended;
  };
  const enter = ['--target', init, '--mount', '--uts', '--ipc', '--net', '--pid'];
  const run = (script: string) =>
    execFileSync('nsenter', [...enter, '--', 'sh', '-ec', `cd /\n${script}`], {
      env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C.UTF-8' },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  // `degraded` counts too: units that need a real machine fail.
  run('until systemctl is-system-running 2>&1 | grep -qE "running|degraded"; do sleep 1; done');
  const inNetwork = (program: string) => {
    const wrapper = join(work, 'in-network');
    writeFileSync(wrapper, `#!/bin/sh\nexec nsenter --net=/proc/${init}/ns/net ${program} "$@"\n`, {
      mode: 0o755,
    });
    return wrapper;
  };
  return { run, inNetwork, stop };
}

/** The systemd that the container has started, once the processes that prepared it have ended. */
async function firstProcess(container: ChildProcess): Promise<string> {
  const { pid } = container;
  for (;;) {
    if (container.exitCode !== null) throw new Error(`systemd-nspawn ended with ${container.exitCode}.`);
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
    const init = children.find(it => it !== '' && nameOf(it) === 'systemd');
    if (init !== undefined) return init;
    await wait(100);
  }
}

function nameOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    return '';
  }
}

export function addSettings(debian: Booted, lines: string): void {
  debian.run(`cat >> /etc/coterie/coterie.env <<'END'\n${lines}\nEND\nsystemctl restart coterie`);
}

export function removeSettings(debian: Booted, name: string): void {
  debian.run(`sed -i '/^${name}/d' /etc/coterie/coterie.env && systemctl restart coterie`);
}
