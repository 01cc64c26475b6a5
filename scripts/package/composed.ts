import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, copyFileSync, cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './files.ts';
import { runWithPodman } from './podman.ts';

/** Who runs the image of Coterie and PgBouncer: the secrets are theirs. */
const user = 10001;
const secrets = {
  'database-url': 'postgres://coterie:count-dracula@database/coterie',
  'database-direct-url': 'postgres://coterie:count-dracula@database/coterie',
  'database-password': 'count-dracula',
  'pooler-users': '"coterie" "count-dracula"\n',
};

/**
 * Runs deploy/compose.postgres.yaml and deploy/compose.pooler.yaml as they are, with Podman in a network of
 * its own. The images of others, which nothing here downloads, are made of Debian's packages.
 */
export function tryComposed(packages: string, version: string, work: string): string {
  // It lets containers find each other by their names.
  if (!existsSync('/usr/lib/podman/aardvark-dns')) return 'not tried: apt-get install aardvark-dns';
  const folder = join(work, 'composed');
  mkdirSync(folder, { recursive: true });
  makeStandIns(folder);
  for (const name of ['postgres', 'pooler']) {
    const deploy = join(folder, name, 'deploy');
    cpSync(join(root, 'deploy'), deploy, { recursive: true });
    for (const [secret, value] of Object.entries(secrets)) {
      const file = join(deploy, secret);
      const isPooled = name === 'pooler' && secret === 'database-url';
      writeFileSync(file, isPooled ? value.replace('@database/', '@pooler:6432/') : value);
      chmodSync(file, 0o400);
      if (secret !== 'database-password') chownSync(file, user, user);
    }
  }
  const load = `
import() { from=$1 name=$2; shift 2; tar -C ${folder}/$from -c . | podman import --quiet "$@" - docker.io/library/$name > /dev/null; }
import system postgres:17 --change 'ENTRYPOINT ["/stand-in-postgres.sh"]'
import system caddy:2 --change 'CMD ["caddy","run","--config","/etc/caddy/Caddyfile"]' --change 'ENV XDG_DATA_HOME=/data'
import base debian:bookworm-slim --change 'CMD ["bash"]'
podman load --quiet --input ${packages}/coterie-${version}-image-x64.tar > /dev/null
`;
  const scene = `exec ${process.execPath} ${join(import.meta.dirname, 'composed-scene.ts')} ${folder}`;
  return runWithPodman(join(folder, 'podman'), `${load}${scene}`, folder).trim();
}

/** A Debian with PostgreSQL and Caddy, and one in which `apt-get install pgbouncer` needs no network. */
function makeStandIns(folder: string): void {
  const make = (...args: string[]) =>
    execFileSync('mmdebstrap', ['--quiet', '--variant=minbase', ...args], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  make('--include=caddy,postgresql', 'bookworm', 'system');
  copyFileSync(
    join(import.meta.dirname, 'stand-in-postgres.sh'),
    join(folder, 'system/stand-in-postgres.sh'),
  );
  const fetched =
    'apt-get clean && apt-get install --yes --quiet=2 --no-install-recommends --download-only pgbouncer';
  make('--skip=cleanup/apt', `--customize-hook=chroot "$1" sh -c '${fetched}'`, 'bookworm', 'base');
}
