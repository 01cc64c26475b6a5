import { chmod, copyFile, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import options from '../../bin/options.json' with { type: 'json' };
import { type Machine, root, run } from './files.ts';

/** Packs the built program as npm does. Returns the tarball. */
export async function packForNpm(folder: string): Promise<string> {
  run('npm', ['pack', '--ignore-scripts', '--silent', `--pack-destination=${folder}`]);
  const file = (await readdir(folder)).find(name => name.endsWith('.tgz'));
  if (file === undefined) throw new Error('npm pack has made no file.');
  return join(folder, file);
}

/** What the package with Node.js has besides the program and its licence: 70 MB. */
const unneeded = ['include', 'share', 'CHANGELOG.md', 'README.md'];

/**
 * Makes the folder with the program, its Node.js and the packages with machine code, as package-lock.json
 * names them. `./coterie` starts it.
 */
export async function makeProgram(folder: string, tarball: string, machine: Machine): Promise<void> {
  await mkdir(folder, { recursive: true });
  run('tar', ['-xzf', tarball, '--strip-components=1', '-C', folder]);
  await copyFile(join(root, 'package-lock.json'), join(folder, 'package-lock.json'));
  await copyFile(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  const ofMachine = ['--os=linux', `--cpu=${machine}`, '--libc=glibc'];
  const quietly = ['--ignore-scripts', '--no-audit', '--no-fund', '--silent', '--prefer-offline'];
  run('npm', ['ci', '--omit=dev', ...ofMachine, ...quietly], folder);
  const node = join('node_modules', `node-linux-${machine}`);
  for (const left of [
    ...['package-lock.json', 'node_modules/.package-lock.json', 'node_modules/.bin'],
    ...unneeded.map(name => join(node, name)),
  ])
    await rm(join(folder, left), { recursive: true, force: true });
  await writeFile(join(folder, 'coterie'), launcher(node));
  await chmod(join(folder, 'coterie'), 0o755);
  run('chmod', ['-R', 'u=rwX,go=rX', basename(folder)], join(folder, '..'));
}

/** The site has from the beginning what bin/coterie.js would start it again with, unless options are set. */
function launcher(node: string): string {
  const variables = Object.entries(options.memory).map(([name, value]) => `${name}="\${${name}-${value}}"`);
  return `#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
if [ "$1" = start ] && [ -z "$NODE_OPTIONS" ]; then
  export ${variables.join(' ')}
  exec "$here/${node}/bin/node" ${options.flags.join(' ')} "$here/bin/coterie.js" "$@"
fi
exec "$here/${node}/bin/node" "$here/bin/coterie.js" "$@"
`;
}
