import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './files.ts';

/**
 * All blocks of docs/hosting.md by where a test follows them, each by words that no other block has.
 * hosting.test.ts fails where one is missing.
 */
export const blocksOfHosting = {
  /** scripts/test-packages.ts, which fails where it left one out. */
  packages: [
    '/etc/caddy/Caddyfile',
    "MAIL_FROM='Mina Harker",
    'RequiresMountsFor=/mnt/backups',
    'read -rs PASSWORD',
    'podman load',
    'install -m 755 /usr/lib/coterie/deploy/debian/coterie',
    '\n\treverse_proxy 127.0.0.1:3000',
    'server_name blog.example',
    'coterie export     #',
    'age-keygen -o',
    'BACKUP_RECIPIENTS=',
    'coterie verify site.tar.age',
    'mv /var/lib/coterie.old/backups',
    'PORT=3001',
    'restore --keep-access',
    './coterie_NEW_amd64.deb',
    'coterie upgrade coterie-NEW-linux-x64.tar.gz --check',
    '--allow-downgrades',
    "DATABASE_URL='postgres://coterie:password@db.example",
    'db-two.example',
    'pooler.example',
    'coterie history --since',
  ],
  /** `npm run test:mail`. */
  mail: ['coterie unix -', 'recipient_delimiter', 'driver = accept'],
  /** test/integration/documented-settings.test.ts. */
  integration: ['OIDC_ISSUER=', 'FILES_URL='],
  /** hosting.test.ts: they are only read. */
  read: ['server_login_retry', 'traefik.enable'],
} as const;

/** Why nothing follows what is only read. */
export const whyRead: Readonly<Record<(typeof blocksOfHosting.read)[number], string>> = {
  server_login_retry: 'deploy/pooler/pgbouncer.ini has these lines, and the packages are tried with it',
  'traefik.enable':
    'neither Debian nor npm has Traefik; the docker-labels.yml in the documentation of 3.7.9 has these labels',
};

export type Place = keyof typeof blocksOfHosting;
export type Words<P extends Place = Place> = (typeof blocksOfHosting)[P][number];

const page = readFileSync(join(root, 'docs/hosting.md'), 'utf8');

/** The blocks, without the indentation of those in lists. */
export const blocks: readonly string[] = [...page.matchAll(/^( *)```\w*\n([\s\S]*?)^ *```$/gm)].map(
  ([, indentation = '', text = '']) => text.replaceAll(new RegExp(`^${indentation}`, 'gm'), ''),
);

const taken = new Set<string>();

export function blockWith(words: Words): string {
  const [block, another] = blocks.filter(text => text.includes(words));
  if (block === undefined || another !== undefined)
    throw new Error(`docs/hosting.md needs one block with ${JSON.stringify(words)}.`);
  taken.add(words);
  return block;
}

/** Throws where {@link blockWith} was not asked for each block of this place. */
export function requireAllTaken(place: Place): void {
  const left = blocksOfHosting[place].filter(words => !taken.has(words));
  if (left.length > 0) throw new Error(`Nothing has followed ${left.join(', ')} of docs/hosting.md.`);
}
