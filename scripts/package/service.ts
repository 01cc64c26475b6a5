import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { chromium } from '@playwright/test';
import { fillSetup } from '../../test/support/fill-setup.ts';
import { chromiumArgs, findChromium } from '../chromium.ts';
import { root as checkout } from './files.ts';

/** A Debian whose systemd runs, with processes and a network of its own. */
export type Booted = {
  /** Runs a script there as root, and returns what it prints. Throws where it fails. */
  run(script: string): string;
  /** A program of this machine, in the network of the Debian. */
  inNetwork(program: string): string;
  stop(): Promise<void>;
};

/** Boots the Debian in a folder. It needs systemd-nspawn, and a machine that allows it to mount. */
async function boot(folder: string, work: string): Promise<Booted> {
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

/** The block of docs/hosting.md below a heading, for a name that needs no certificate of an authority. */
export function blockBelow(heading: string): string {
  const page = readFileSync(join(checkout, 'docs/hosting.md'), 'utf8');
  const [, block] = /```sh\n([\s\S]*?)```/.exec(page.slice(page.indexOf(heading))) ?? [];
  if (block === undefined) throw new Error(`docs/hosting.md has no block below "${heading}".`);
  return block.replaceAll('blog.example', host);
}

/** Caddy certifies it by an authority of its own. */
const host = 'blog.localhost';
const site = `https://${host}`;

/** Follows the link that a start has printed, as an owner would, and publishes a post in a real browser. */
export async function writeInBrowser(debian: Booted, setupLink: string, content: string): Promise<void> {
  await inBrowser(debian, async page => {
    await page.goto(setupLink);
    await fillSetup(page);
    await page.getByText('Nothing here yet.').waitFor();
    await page.getByRole('link', { name: 'Write', exact: true }).click();
    await page.getByRole('textbox', { name: 'Content' }).fill(content);
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByText('Published.').waitFor();
  });
  await requireInBrowser(debian, content);
}

/** Throws unless a visitor with a real browser sees a post. */
export async function requireInBrowser(debian: Booted, content: string): Promise<void> {
  await inBrowser(debian, async page => {
    await page.goto(site);
    await page.getByText(content).waitFor();
  });
}

type Page = Awaited<ReturnType<Awaited<ReturnType<typeof chromium.launch>>['newPage']>>;

async function inBrowser(debian: Booted, use: (page: Page) => Promise<void>): Promise<void> {
  const browser = await chromium.launch({
    executablePath: debian.inNetwork(findChromium()),
    args: chromiumArgs,
  });
  try {
    await use(await browser.newPage({ ignoreHTTPSErrors: true }));
  } finally {
    await browser.close();
  }
}

/** The link of the last start in the journal. */
export function setupLinkIn(printed: string): string {
  const links = printed.match(/http\S+\/setup\?token=\S+/g) ?? [];
  const link = links.at(-1);
  if (link?.startsWith(site)) return link;
  throw new Error(`No link for the first admin at ${site}: ${printed}`);
}

/** Waits until the service has started again after a kill, with another process. */
export async function requireRestart(debian: Booted): Promise<void> {
  const processOf = () => debian.run('systemctl show --value --property MainPID coterie').trim();
  const before = processOf();
  debian.run('systemctl kill --signal KILL coterie');
  // In this order: for a moment it is still active, without its process.
  debian.run(
    `until [ "$(systemctl show --value --property MainPID coterie)" != ${before} ] && systemctl is-active --quiet coterie; do sleep 0.2; done`,
  );
}

/** `coterie mail receive` waits for its mail, is killed as a mail server may do it, and leaves no process. */
const receiverEnds = `
mkfifo /run/mail && exec 3<>/run/mail
MAIL_REPLY_ADDRESS='reply+{}@${host}' coterie mail receive <&3 &
until child=$(tr -d " " < /proc/$!/task/$!/children) && readlink /proc/$child/exe | grep -q node; do sleep 0.1; done
kill -KILL $!
while [ -e /proc/$child ]; do sleep 0.1; done`;

/**
 * docs/hosting.md followed in a Debian whose systemd runs: the package as a service behind Caddy, a post
 * written in a browser, the service killed, the package upgraded and purged. Then the archive as a service,
 * an upgrade to a version that breaks when systemd starts it, and one to a version that does not. Last a
 * backup, restored.
 */
export async function tryService(
  folder: string,
  work: string,
  { packages, version, next }: { packages: string; version: string; next: () => string },
): Promise<string[]> {
  const archive = `coterie-${version}-linux-x64`;
  const deb = `coterie_${version}_amd64.deb`;
  for (const file of [deb, `${archive}.tar.gz`]) copyFileSync(join(packages, file), join(folder, file));
  writeFileSync(join(folder, 'etc/hosts'), '127.0.0.1 localhost\n');
  // An owner answers apt's question with Enter.
  writeFileSync(join(folder, 'etc/apt/apt.conf.d/90yes'), 'APT::Get::Assume-Yes "true";\n');
  // It is there for its lines in docs/hosting.md, and would take the ports of Caddy.
  execFileSync('systemctl', ['--root', folder, '--quiet', 'disable', 'nginx']);
  const debian = await boot(folder, work);
  try {
    const began = performance.now();
    const printed = debian.run(blockBelow('## From nothing to the first post'));
    await writeInBrowser(debian, setupLinkIn(printed), 'Written on the first day.');
    const seconds = ((performance.now() - began) / 1_000).toFixed(1);
    const [, rating] = /level for coterie.service: (\S+)/.exec(
      debian.run('systemd-analyze security coterie --no-pager'),
    ) ?? ['', ''];
    if (!(Number(rating) < 2)) throw new Error(`systemd rates the service ${rating}.`);
    debian.run(receiverEnds);
    await requireRestart(debian);
    await requireInBrowser(debian, 'Written on the first day.');
    debian.run(`apt-get install ${next()}`);
    await requireInBrowser(debian, 'Written on the first day.');
    debian.run('apt-get purge --yes coterie && ! systemctl cat coterie');

    debian.run(blockBelow('### From the archive'));
    debian.run(`echo "PUBLIC_URL='${site}'" >> /etc/coterie/coterie.env && systemctl restart coterie`);
    const journal = debian.run('journalctl --unit coterie --lines 20 --output cat --no-pager');
    await writeInBrowser(debian, setupLinkIn(journal), 'From the archive.');
    const broken = repack(folder, archive, '98.0.0', '[ -z "$INVOCATION_ID" ] || exit 1\n');
    const output = debian.run(`coterie upgrade ${broken} 2>&1 && exit 1; true`);
    if (!output.includes('The site runs with the version of before')) throw new Error(output);
    await requireInBrowser(debian, 'From the archive.');
    debian.run(`coterie upgrade ${repack(folder, archive, '99.0.0')}`);
    const link = debian.run('readlink /usr/lib/coterie').trim();
    if (!link.endsWith('coterie-99.0.0-linux-x64')) throw new Error(`The link leads to ${link}.`);
    await requireInBrowser(debian, 'From the archive.');
    const [saved = ''] = /coterie-\S+\.tar/.exec(debian.run('coterie export')) ?? [];
    debian.run(blockBelow('### Restore').replace('coterie-TIME.tar', saved));
    await requireInBrowser(debian, 'From the archive.');
    debian.run('systemctl disable --now coterie');
    return [
      `${seconds} s from the first command to a post in a browser, by HTTPS; systemd rates it ${rating}`,
      'killed and back, upgraded by apt, purged; from the archive: back from a broken version, on to a good one, saved and restored',
    ];
  } finally {
    await debian.stop();
  }
}

/**
 * Packs the archive as one of another version, with a line before its program starts. Returns its path in
 * the Debian.
 */
function repack(folder: string, archive: string, version: string, line = ''): string {
  const name = `coterie-${version}-linux-x64`;
  const script = join(folder, 'srv', name, 'coterie');
  const run = (command: string, ...args: string[]) =>
    execFileSync(command, args, { cwd: join(folder, 'srv'), encoding: 'utf8' });
  run('tar', '-xzf', join(folder, `${archive}.tar.gz`));
  run('mv', archive, name);
  writeFileSync(script, readFileSync(script, 'utf8').replace('\n', `\n${line}`));
  run('tar', '--use-compress-program=gzip -1', '-cf', `${name}.tar.gz`, name);
  writeFileSync(join(folder, 'srv/SHA256SUMS'), run('sha256sum', `${name}.tar.gz`));
  rmSync(join(folder, 'srv', name), { recursive: true });
  return `/srv/${name}.tar.gz`;
}
