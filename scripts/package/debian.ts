import { chmod, copyFile, cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import project from '../../package.json' with { type: 'json' };
import { type Machine, machines, root, run } from './files.ts';

/** What is installed beside the program, and where. */
const placed = {
  'deploy/coterie.service': 'usr/lib/systemd/system/coterie.service',
  'deploy/debian/coterie': 'usr/bin/coterie',
  LICENSE: 'usr/share/doc/coterie/copyright',
};

export async function writeDebianPackage(
  program: string,
  machine: Machine,
  folder: string,
  target: string,
): Promise<void> {
  await mkdir(join(folder, 'DEBIAN'), { recursive: true });
  await cp(program, join(folder, 'usr/lib/coterie'), { recursive: true });
  for (const [from, to] of Object.entries(placed)) {
    await mkdir(join(folder, to, '..'), { recursive: true });
    await copyFile(join(root, from), join(folder, to));
  }
  for (const script of ['postinst', 'prerm', 'postrm']) {
    await copyFile(join(root, 'deploy/debian', script), join(folder, 'DEBIAN', script));
    await chmod(join(folder, 'DEBIAN', script), 0o755);
  }
  const architecture = machines[machine];
  await writeFile(join(folder, 'DEBIAN/control'), control(architecture));
  run('chmod', ['-R', 'u=rwX,go=rX', folder]);
  // Debian 12 and Ubuntu 22.04 read it (docs/decisions/0039-packages.md).
  const options = ['--root-owner-group', '-Zzstd', '-z12', '--threads-max=1', '--build'];
  run('dpkg-deb', [...options, folder, join(target, `coterie_${project.version}_${architecture}.deb`)]);
}

const control = (architecture: string) => `Package: coterie
Version: ${project.version}
Architecture: ${architecture}
Maintainer: The Coterie maintainers <maintainers@localhost>
Section: web
Priority: optional
Depends: adduser, init-system-helpers (>= 1.54), libc6 (>= 2.28), libgcc-s1, libstdc++6 (>= 8)
Suggests: caddy, ffmpeg
Description: members-only blog
 Short posts and essays, readers that you approve, and tags that decide who
 sees what. With its own Node.js; it needs no database server.
`;
