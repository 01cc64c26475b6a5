import { execFileSync } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import project from '../../package.json' with { type: 'json' };
import { writeBill } from './bill.ts';
import { writeDebianPackage } from './debian.ts';
import { type Machine, machines, requireCommand, sha256, tar } from './files.ts';
import { writeImage } from './image.ts';
import { makeProgram, packForNpm } from './program.ts';
import { writeShops } from './shops.ts';

/**
 * `npm run package [-- --machine x64]`: everything that a release is downloaded as, into `packages`, with
 * check sums and lists of the components. The same commit and the same packages of Debian give the same
 * bytes. Needs the package mmdebstrap, and root for the images. With `--releases` (the address from which the
 * files will be downloaded) and `--image` (its name in a registry) also the packages of shops. Where
 * MINISIGN_KEY names a secret key, minisign signs the check sums.
 */
const { values } = parseArgs({
  options: {
    machine: { type: 'string', multiple: true },
    releases: { type: 'string' },
    image: { type: 'string' },
  },
});
const known = Object.keys(machines) as Machine[];
const chosen = known.filter(machine => values.machine?.includes(machine) ?? true);
const target = 'packages';
const { releases, image } = values;
if ((releases === undefined) !== (image === undefined)) refuse('Give --releases together with --image.');
if (releases !== undefined && chosen.length < known.length) refuse('The shops need every machine.');
if (chosen.length < (values.machine ?? known).length) refuse(`--machine is one of ${known.join(', ')}.`);
if (process.getuid?.() !== 0) refuse('The images are made as root.');
const signingKey = process.env.MINISIGN_KEY;
const needed = ['dpkg-deb', 'mmdebstrap', 'tar', ...(signingKey === undefined ? [] : ['minisign'])];
for (const command of needed) requireCommand(command);

const work = await mkdtemp(join(tmpdir(), 'coterie-package-'));
try {
  await rm(target, { recursive: true, force: true });
  await mkdir(target, { recursive: true });
  const name = `coterie-${project.version}`;
  const tarball = await packForNpm(work);
  await copyFile(tarball, join(target, `${name}.tgz`));
  await writeBill(join(target, `${name}.cdx.json`));
  for (const machine of chosen) {
    const folder = join(work, machine, `${name}-linux-${machine}`);
    await makeProgram(folder, tarball, machine);
    tar(join(work, machine), `${name}-linux-${machine}`, join(target, `${name}-linux-${machine}.tar.gz`));
    await writeDebianPackage(folder, machine, join(work, machine, 'debian'), target);
    await writeImage(folder, machine, join(work, machine, 'image'), target);
  }
  const sumOf = async (machine: Machine) =>
    sha256(await readFile(join(target, `${name}-linux-${machine}.tar.gz`)));
  if (releases !== undefined && image !== undefined) {
    const sums = { x64: await sumOf('x64'), arm64: await sumOf('arm64') };
    await writeShops(join(work, 'shops'), { releases, image, sums });
    tar(work, 'shops', join(target, `${name}-shops.tar.gz`));
  }
  const files = (await readdir(target)).sort();
  const sums = files.map(async file => `${sha256(await readFile(join(target, file)))}  ${file}\n`);
  const list = join(target, 'SHA256SUMS');
  await writeFile(list, (await Promise.all(sums)).join(''));
  // It may ask for the password of the key.
  if (signingKey !== undefined)
    execFileSync('minisign', ['-S', '-s', signingKey, '-m', list, '-t', name], { stdio: 'inherit' });
} finally {
  await rm(work, { recursive: true, force: true });
}

function refuse(sentence: string): never {
  console.error(sentence);
  process.exit(1);
}
