import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../test/support/free-port.ts';
import { contained } from './contained.ts';
import { requireInChromium, startSite, uploadMedia, writeFirstPost } from './try.ts';

/** There once qemu is registered: then the site's own processes are run by it, too. */
const registered = '/proc/sys/fs/binfmt_misc/qemu-aarch64';

/**
 * Runs the archive for arm64 on this machine by qemu, with the libraries of the image, up to uploaded media
 * and a page in a browser; then the image itself. Returns a sentence about it. The Debian package must hold
 * the same files.
 */
export async function tryArm(packages: string, version: string, work: string): Promise<string> {
  const name = `coterie-${version}`;
  const archive = join(packages, `${name}-linux-arm64.tar.gz`);
  if (!existsSync(archive)) return 'not tried: it was not made';
  if (!existsSync(registered)) return 'not tried: apt-get install qemu-user-static binfmt-support';
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
  const settings = { QEMU_LD_PREFIX: join(bundle, 'rootfs'), PORT: port, HOST: '127.0.0.1', DATA_DIR: data };
  const environment = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  const site = await startSite('env', [...environment, join(program, 'coterie')], port);
  const cookie = await writeFirstPost(site, 'From another machine.');
  await uploadMedia(site, cookie);
  await requireInChromium(site.url, 'From another machine.');
  await site.stop();

  const { args, command } = contained(bundle, volume, port);
  const image = await startSite(...command(args), port);
  await writeFirstPost(image, 'From its image.');
  await image.stop();
  const seconds = [site, image].map(({ startMs }) => (startMs / 1_000).toFixed(0));
  return (
    'by qemu a post, a photo, a video, the sizes of a picture and a page in a browser, and the image read-only: ' +
    `${seconds.join(' and ')} s for the starts`
  );
}

function run(command: string, args: readonly string[]): void {
  execFileSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] });
}
