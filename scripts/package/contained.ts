import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A command that runs in an image, unpacked by umoci to `bundle`: read-only, as process 1 of its user, who
 * has no rights.
 */
export function contained(
  bundle: string,
  data: string,
  port: number,
): { args: readonly string[]; command: (args: readonly string[]) => [string, string[]] } {
  const { process: described, root } = JSON.parse(readFileSync(join(bundle, 'config.json'), 'utf8'));
  if (!(described.user.uid > 0 && root.path === 'rootfs')) throw new Error('The image runs as root.');
  const around = [
    ...['--ro-bind', join(bundle, 'rootfs'), '/', '--bind', data, '/data', '--tmpfs', '/tmp'],
    ...[
      '--proc',
      '/proc',
      '--dev',
      '/dev',
      '--unshare-all',
      '--share-net',
      '--as-pid-1',
      '--die-with-parent',
    ],
    ...['--uid', String(described.user.uid), '--gid', String(described.user.gid), '--clearenv'],
    ...described.env.flatMap((line: string) => ['--setenv', ...line.split(/=(.*)/s).slice(0, 2)]),
    ...['--setenv', 'PORT', String(port), '--chdir', described.cwd],
  ];
  return { args: described.args, command: args => ['bwrap', [...around, ...args]] };
}
