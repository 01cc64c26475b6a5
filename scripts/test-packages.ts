import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import project from '../package.json' with { type: 'json' };
import { freePort } from '../test/support/free-port.ts';
import { tryArm } from './package/arm.ts';
import { tryComposed } from './package/composed.ts';
import { contained } from './package/contained.ts';
import { tryContainer } from './package/container.ts';
import { root as checkout, requireCommand } from './package/files.ts';
import { requireAllTaken } from './package/hosting.ts';
import { proxyScript } from './package/proxies.ts';
import { tryService } from './package/service.ts';
import { writeShops } from './package/shops.ts';
import { requirePost, type Started, startSite, uploadMedia, writeFirstPost } from './package/try.ts';

/**
 * `npm run test:packages [-- PART...]`, after `npm run package` and as root on a Debian of x64. In a fresh
 * root without Node.js the Debian package is installed, upgraded, removed and purged; the archive and the
 * image are unpacked and run. Each from its first start to its first post. The scripts for YunoHost run with
 * helpers of ours. Then systemd is booted there, and docs/hosting.md followed: the service behind Caddy, in a
 * browser. Podman runs the image and the compose files, qemu what is for arm64. Where all parts run, it fails
 * if a block of docs/hosting.md that hosting.ts counts on was not followed.
 */
const packages = join(import.meta.dirname, '../packages');
const name = `coterie-${project.version}`;
const needed = [
  'mmdebstrap',
  'umoci',
  'bwrap',
  'unshare',
  'systemd-nspawn',
  'podman',
  'podman-compose',
  'runc',
];
const parts = {
  debian: tryDebianPackage,
  archive: tryArchive,
  image: tryImage,
  yunohost: tryYunohost,
  systemd: async () => {
    const next = (version: string, isBroken = false) =>
      upgradeFile(version, `coterie_${project.version}_amd64.deb`, isBroken);
    for (const sentence of await tryService(debian, work, { packages, version: project.version, next }))
      report('systemd', sentence);
  },
  container: () => {
    for (const sentence of tryContainer(packages, work)) report('container', sentence);
  },
  compose: () => report('compose', tryComposed(packages, project.version, work)),
  arm64: async () => report('arm64', await tryArm(packages, project.version, work)),
} satisfies Record<string, () => void | Promise<void>>;
const needsRoot = ['debian', 'archive', 'yunohost', 'systemd'];
const asked = process.argv.slice(2);
const chosen = Object.entries(parts).filter(([part]) => asked.length === 0 || asked.includes(part));
if (chosen.length < asked.length) {
  console.error(`The parts are ${Object.keys(parts).join(', ')}.`);
  process.exit(1);
}
for (const command of needed) requireCommand(command);
const work = mkdtempSync(join(tmpdir(), 'coterie-packages-'));
const debian = join(work, 'debian');

try {
  const sums = run('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], packages);
  report('check sums', sums === '' ? 'match' : sums);
  const included =
    '--include=adduser,init-system-helpers,systemd-sysv,dbus,caddy,nginx-light,curl,iproute2,openssl,postgresql,pgbouncer,age';
  if (chosen.some(([part]) => needsRoot.includes(part)))
    run('mmdebstrap', ['--quiet', '--variant=minbase', included, 'bookworm', debian]);
  for (const [, run] of chosen) await run();
  if (asked.length === 0) requireAllTaken('packages');
} finally {
  rmSync(work, { recursive: true, force: true });
}

async function tryDebianPackage(): Promise<void> {
  const file = `coterie_${project.version}_amd64.deb`;
  run('cp', [join(packages, file), debian]);
  const began = performance.now();
  inDebian(['dpkg', '--install', `/${file}`]);
  const port = await freePort();
  const settings = join(debian, 'etc/coterie/coterie.env');
  requireOwner(settings, 0o640);
  requireOwner(join(debian, 'var/lib/coterie'), 0o700);
  requireThat(list('etc/systemd/system/multi-user.target.wants').includes('coterie.service'), 'not enabled');
  appendFileSync(settings, `PORT=${port}\nSITE_TITLE='Kept # by upgrades'\n`);
  const first = await startSite(...asRoot(['coterie', 'start']), port);
  await writeFirstPost(first, 'Written on the first day.');
  report('Debian package', `${seconds(began)} s from the file to the first post, ${figures(first)}`);
  requireThat(inDebian(['coterie', 'config']).includes('/etc/coterie/coterie.env'), 'no settings');
  await first.stop();

  inDebian(['dpkg', '--install', upgradeFile('99.0', file)]);
  const second = await startSite(...asRoot(['coterie', 'start']), port);
  await requirePost(second.url, 'Written on the first day.');
  await requirePost(second.url, 'Kept # by upgrades');
  await second.stop();
  report('Debian package', 'upgraded, with its settings and its post');

  const answers = run(...asRoot(['sh', '-c', proxyScript], ['--net']));
  const isRight = /^Caddy\nHTTP\/2 200\s+strict-.*\nnginx\nHTTP\/2 200\s+strict-/i.test(answers);
  requireThat(isRight, `behind the proxies: ${answers}`);
  report('proxies', 'Caddy and nginx as docs/hosting.md has them: HTTPS, 200');

  for (const it of ['SHA256SUMS', `${name}-linux-x64.tar.gz`]) run('cp', [join(packages, it), debian]);
  const compared = inDebian(['coterie', 'upgrade', `/${name}-linux-x64.tar.gz`, '--check']);
  requireThat(compared.includes('Both versions agree'), compared);
  report('coterie upgrade', 'the archive agrees with the package, on a copy of its site');

  inDebian(['dpkg', '--remove', 'coterie']);
  requireThat(
    statSync(settings).isFile() && list('var/lib/coterie').includes('coterie.db'),
    'removed too much',
  );
  requireThat(
    !list('usr/lib').includes('coterie') && !list('usr/bin').includes('coterie'),
    'removed too little',
  );
  inDebian(['dpkg', '--purge', 'coterie']);
  // What this test has written to /tmp is its own.
  const left = run('find', [
    debian,
    '-xdev',
    '-path',
    join(debian, 'tmp'),
    '-prune',
    '-o',
    '-name',
    '*coterie*',
    '-not',
    '-name',
    '*.deb',
    '-not',
    '-name',
    '*.tar.gz',
    '-print',
  ]);
  const people = ['passwd', 'group', 'shadow'].map(it => readFileSync(join(debian, 'etc', it), 'utf8'));
  requireThat(left === '' && !people.join().includes('coterie'), `left behind: ${left}`);
  report('Debian package', 'removed with its data kept, then purged with nothing left');
}

/** The same package with another version, as the next release would be. Returns its path in the Debian. */
function upgradeFile(version: string, file: string, isBroken = false): string {
  const next = join(work, 'next');
  run('dpkg-deb', ['-R', join(packages, file), next]);
  const control = join(next, 'DEBIAN/control');
  writeFileSync(control, readFileSync(control, 'utf8').replace(/^Version: .*$/m, `Version: ${version}`));
  if (isBroken) writeFileSync(join(next, 'DEBIAN/preinst'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  run('dpkg-deb', ['--root-owner-group', '-Znone', '-b', next, join(debian, 'next.deb')]);
  rmSync(next, { recursive: true });
  return '/next.deb';
}

/** The archive, in the same Debian, which has no Node.js. */
async function tryArchive(): Promise<void> {
  const began = performance.now();
  run('tar', ['-xzf', join(packages, `${name}-linux-x64.tar.gz`), '-C', join(debian, 'srv')]);
  const port = await freePort();
  const settings = [`PORT=${port}`, 'HOST=127.0.0.1', 'DATA_DIR=/srv/data'];
  const site = await startSite(...asRoot(['env', ...settings, `/srv/${name}-linux-x64/coterie`]), port);
  const cookie = await writeFirstPost(site, 'From an archive.');
  report('archive', `${seconds(began)} s from the file to the first post, ${figures(site)}`);
  await uploadMedia(site, cookie);
  report('archive', 'takes a photo, a video and a picture, and makes its sizes');
  await site.stop();
}

/** The image, unpacked by umoci, read-only, as process 1 of a user without rights. */
async function tryImage(): Promise<void> {
  const began = performance.now();
  const [layout, bundle, data] = ['layout', 'bundle', 'data'].map(it => join(work, it)) as [
    string,
    string,
    string,
  ];
  for (const folder of [layout, data]) mkdirSync(folder);
  run('tar', ['-xf', join(packages, `${name}-image-x64.tar`), '-C', layout]);
  run('umoci', ['unpack', '--image', `${layout}:coterie:${project.version}`, bundle]);
  const port = await freePort();
  const { args, command } = contained(bundle, data, port);
  const site = await startSite(...command(args), port);
  const cookie = await writeFirstPost(site, 'From an image.');
  report('image', `${seconds(began)} s from the file to the first post, ${figures(site)}`);
  await uploadMedia(site, cookie);
  report('image', 'takes a photo, a video and a picture, and makes its sizes');
  report('image', `coterie health: ${run(...command(['coterie', 'health'])).trim()}`);
  const stoppedMs = await site.stop();
  requireThat(stoppedMs < 10_000, 'the image does not stop within ten seconds');
  report('image', `stopped in ${stoppedMs} ms as process 1`);
}

/** The scripts of the YunoHost package, in the same Debian. */
async function tryYunohost(): Promise<void> {
  const sum = 'a'.repeat(64);
  const release = { releases: 'https://releases.example', image: 'coterie', sums: { x64: sum, arm64: sum } };
  await writeShops(join(debian, 'shop'), release);
  const from = join(checkout, 'scripts/package');
  mkdirSync(join(debian, 'usr/share/yunohost'));
  cpSync(join(from, 'yunohost-helpers.sh'), join(debian, 'usr/share/yunohost/helpers'));
  for (const file of [join(from, 'yunohost.sh'), join(packages, `${name}-linux-x64.tar.gz`)])
    run('cp', [file, debian]);
  const ports = [await freePort(), await freePort()].map(String);
  const output = inDebian([
    ...['bash', '/yunohost.sh', '/shop/yunohost', `/${name}-linux-x64.tar.gz`],
    ...ports,
  ]);
  report('YunoHost', output.trim().split('\n').at(-1) ?? '');
}

/** A command in the Debian, as root, with processes and /proc of its own. */
function asRoot(command: readonly string[], more: readonly string[] = []): [string, string[]] {
  const own = [
    ...more,
    '--mount',
    '--pid',
    '--fork',
    '--kill-child=SIGTERM',
    `--mount-proc=${join(debian, 'proc')}`,
  ];
  return ['unshare', [...own, 'chroot', debian, ...command]];
}

function inDebian(command: readonly string[]): string {
  return run(...asRoot(command));
}

function run(command: string, args: readonly string[], cwd = work): string {
  const env = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' };
  return execFileSync(command, args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}

function list(folder: string): string[] {
  return readdirSync(join(debian, folder));
}

function seconds(began: number): string {
  return ((performance.now() - began) / 1_000).toFixed(1);
}

function figures({ startMs, memory }: Started): string {
  return `of which ${startMs} ms for the start, ${memory()} of memory`;
}

function requireOwner(path: string, mode: number): void {
  const found = statSync(path).mode & 0o777;
  requireThat(found === mode, `${path} has the mode ${found.toString(8)}`);
}

function requireThat(condition: boolean, otherwise: string): void {
  if (!condition) throw new Error(otherwise);
}

function report(what: string, sentence: string): void {
  console.log(`${what}: ${sentence}`);
}
