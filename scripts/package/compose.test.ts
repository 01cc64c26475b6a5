import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { Environment } from '../../server/environment.ts';
import { root } from './files.ts';

type Service = {
  image?: string;
  environment?: Record<string, string>;
  secrets?: string[];
  volumes?: string[];
  depends_on?: Record<string, object>;
};
type Composed = { services: Record<string, Service>; secrets?: object; volumes?: object };

const deploy = join(root, 'deploy');
const files = readdirSync(deploy).filter(name => /^compose\..*yaml$/.test(name));
const composed = (name: string): Composed => parse(readFileSync(join(deploy, name), 'utf8'), { merge: true });
const isCoterie = ({ image }: Service) => image?.includes('coterie') === true;

it('there are compose files for one process, for PostgreSQL, and for several processes', () => {
  expect(files.sort()).toEqual(['compose.pooler.yaml', 'compose.postgres.yaml', 'compose.yaml']);
});

it.each(files)('%s sets only what the program reads', name => {
  const coterie = Object.entries(composed(name).services).filter(
    ([service, it]) => service === 'coterie' || isCoterie(it),
  );
  expect(coterie.length).toBeGreaterThan(0);
  for (const [, { environment = {} }] of coterie)
    for (const variable of Object.keys(environment))
      expect(Object.keys(Environment.shape)).toContain(variable.replace(/_FILE$/, ''));
});

it.each(files)('%s names secrets, volumes, services and files that are there', name => {
  const { services, secrets = {}, volumes = {} } = composed(name);
  for (const service of Object.values(services)) {
    for (const secret of service.secrets ?? []) expect(Object.keys(secrets)).toContain(secret);
    for (const other of Object.keys(service.depends_on ?? {})) expect(Object.keys(services)).toContain(other);
    for (const volume of service.volumes ?? []) {
      const [from = ''] = volume.split(':');
      if (from.startsWith('./')) expect(existsSync(join(deploy, from)), from).toBe(true);
      else expect(Object.keys(volumes)).toContain(from);
    }
  }
});

it('the proxy of compose.pooler.yaml leads to the processes that answer readers', () => {
  const { services } = composed('compose.pooler.yaml');
  const readers = Object.entries(services).filter(([, { environment }]) => environment?.ROLE === 'web');
  const caddyfile = readFileSync(join(deploy, 'pooler/Caddyfile'), 'utf8');
  const [, named] = /^reverse_proxy (.*) \{$/m.exec(caddyfile) ?? [];
  expect(named?.split(' ')).toEqual(readers.map(([service]) => `${service}:3000`));
});

const hasCaddy = spawnSync('caddy', ['version']).status === 0;

it.runIf(hasCaddy)('Caddy understands the file of compose.pooler.yaml', () => {
  const args = ['adapt', '--adapter', 'caddyfile', '--config', join(deploy, 'pooler/Caddyfile')];
  const { status, stdout } = spawnSync('caddy', args, {
    encoding: 'utf8',
    env: { ...process.env, SITE: 'blog.example' },
  });
  expect(status).toBe(0);
  expect(stdout).toContain('"host":["blog.example"]');
  expect(stdout).toContain('/readyz');
});

const hasCompose = spawnSync('docker-compose', ['--version']).status === 0;

it.runIf(hasCompose).each(['compose.yaml', 'compose.yaml compose.postgres.yaml', 'compose.pooler.yaml'])(
  'docker-compose understands %s',
  names => {
    const args = names.split(' ').flatMap(name => ['--file', join(deploy, name)]);
    const { status, stdout } = spawnSync('docker-compose', [...args, 'config'], { encoding: 'utf8' });
    expect(status).toBe(0);
    expect(Object.keys(parse(stdout).services).length).toBeGreaterThan(0);
  },
);
