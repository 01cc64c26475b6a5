import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { readConfig } from '../../server/config.ts';
import { root } from './files.ts';
import { blocks, blocksOfHosting, blockWith, type Place, whyRead } from './hosting.ts';

const places = Object.keys(blocksOfHosting) as Place[];
const listed = places.flatMap(place => blocksOfHosting[place].map(words => ({ place, words })));

it.each(blocks.map(text => [text.trim().split('\n')[0], text]))(
  'a test follows the block of docs/hosting.md that begins with %s, or a reason is given',
  (_, text) => {
    expect(listed.filter(({ words }) => text.includes(words))).toHaveLength(1);
  },
);

it.each(listed.map(({ words }) => words))('docs/hosting.md has one block with %j', words => {
  expect(blockWith(words)).toContain(words);
});

it('docs/hosting.md has no block besides those, such as one of another indentation', () => {
  const page = readFileSync(join(root, 'docs/hosting.md'), 'utf8');
  expect(page.split('```')).toHaveLength(2 * blocks.length + 1);
  expect(listed).toHaveLength(blocks.length);
  expect(Object.keys(whyRead)).toEqual([...blocksOfHosting.read]);
});

it.each(blocks.filter(text => /^[A-Z_]+=/.test(text)))('the program takes the settings %s', text => {
  const settings = parseEnv(text);
  expect(Object.keys(settings).length).toBeGreaterThan(0);
  expect(() => readConfig(settings)).not.toThrow();
});

it('the PgBouncer that tests start has the lines of docs/hosting.md', () => {
  const lines = readFileSync(join(root, 'deploy/pooler/pgbouncer.ini'), 'utf8').split('\n');
  expect(lines).toEqual(expect.arrayContaining(blockWith('server_login_retry').trim().split('\n')));
});

it('the labels for Traefik name one router and the port of the image', () => {
  const { labels } = parse(blockWith('traefik.enable')) as { labels: string[] };
  expect(Object.fromEntries(labels.map(label => label.split(/=(.*)/s).slice(0, 2)))).toEqual({
    'traefik.enable': 'true',
    'traefik.http.routers.coterie.rule': 'Host(`blog.example`)',
    'traefik.http.routers.coterie.entrypoints': 'websecure',
    'traefik.http.routers.coterie.tls.certresolver': 'letsencrypt',
    'traefik.http.services.coterie.loadbalancer.server.port': String(readConfig({}).port),
  });
});
