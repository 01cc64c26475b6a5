import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse as parseToml } from 'smol-toml';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import project from '../../package.json' with { type: 'json' };
import { Environment } from '../../server/environment.ts';
import { root } from './files.ts';
import { writeShops } from './shops.ts';

const releases = 'https://releases.example/coterie/';
const image = 'registry.example/coterie:0.1.0@sha256:abc';
const sums = { x64: 'a'.repeat(64), arm64: 'b'.repeat(64) };

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coterie-shops-'));
  await writeShops(folder, { releases, image, sums });
});
afterAll(() => rm(folder, { recursive: true }));

const textOf = (file: string) => readFile(join(folder, file), 'utf8');
/** Names that a text sets to a value, one at the beginning of a line or after a space. */
const namesIn = (text: string) => [...text.matchAll(/(?:^|\s)([A-Z][A-Z_]+)[=:]/g)].map(([, name]) => name);
const ofCoterie = expect.toBeOneOf(Object.keys(Environment.shape));

it('the package of YunoHost names the archives of the release with their check sums', async () => {
  const { version, resources, integration, install } = parseToml(
    await textOf('yunohost/manifest.toml'),
  ) as Record<string, Record<string, unknown>>;
  // The pattern of its schema.
  expect(version).toMatch(/^[0-9a-z]*([.+-][0-9a-z]*)*~ynh[0-9]*$/);
  expect(version).toBe(`${project.version}~ynh1`);
  const address = (machine: string) =>
    `https://releases.example/coterie/coterie-${project.version}-linux-${machine}.tar.gz`;
  expect(resources).toEqual({
    sources: {
      main: {
        amd64: { url: address('x64'), sha256: sums.x64 },
        arm64: { url: address('arm64'), sha256: sums.arm64 },
      },
    },
    system_user: {},
    install_dir: {},
    data_dir: {},
    permissions: { main: { url: '/', auth_header: false } },
    ports: {},
  });
  expect(integration).toMatchObject({ architectures: ['amd64', 'arm64'], multi_instance: true });
  // The site is the whole of its domain, so nobody is asked for a path.
  expect(Object.keys(install ?? {})).toEqual(['domain', 'init_main_permission', 'admin', 'password']);
  expect(parseToml(await textOf('yunohost/tests.toml'))).toMatchObject({ test_format: 1 });
});

it.each([
  ...['install', 'upgrade', 'backup', 'restore', 'remove', 'change_url', '_common.sh'].map(
    name => `yunohost/scripts/${name}`,
  ),
  'cloudron/start.sh',
])('%s is a script that Bash reads', script => {
  expect(spawnSync('bash', ['-n', join(folder, script)], { encoding: 'utf8' })).toMatchObject({
    status: 0,
    stderr: '',
  });
});

it('the package of YunoHost has the files that its check of packages asks for', async () => {
  for (const file of ['LICENSE', 'README.md', 'doc/DESCRIPTION.md', 'tests.toml'])
    expect((await textOf(`yunohost/${file}`)).trim()).not.toBe('');
});

it('the package of Umbrel brings the folder of its volume, which Docker would make for root', async () => {
  const { services } = parseYaml(await textOf('umbrel/docker-compose.yml'));
  expect(services.web.volumes).toEqual([expect.stringMatching(/_DATA_DIR\}\/data:\/data$/)]);
  expect((await stat(join(folder, 'umbrel/data/.gitkeep'))).isFile()).toBe(true);
});

it('the shops set settings that Coterie has', async () => {
  const yunohost = namesIn(await textOf('yunohost/conf/env'));
  expect(yunohost).toContain('PUBLIC_URL');
  for (const name of yunohost) expect(name).toEqual(ofCoterie);
  // A setting in a script is exported; its other variables are in small letters.
  const cloudron = namesIn(await textOf('cloudron/start.sh'));
  expect(cloudron).toContain('SMTP_URL');
  for (const name of cloudron) expect(name).toEqual(ofCoterie);
  const umbrel = parseYaml(await textOf('umbrel/docker-compose.yml'));
  for (const name of Object.keys(umbrel.services.web.environment)) expect(name).toEqual(ofCoterie);
  expect(umbrel.services).toMatchObject({
    app_proxy: { environment: { APP_HOST: 'coterie_web_1', APP_PORT: 3000 } },
    web: { image },
  });
});

it('the service of YunoHost takes away as much as that of the Debian package, but for its folders', async () => {
  const ofPackage = (await readFile(join(root, 'deploy/coterie.service'), 'utf8')).split('\n');
  const missing = ofPackage.filter(line => !line.startsWith('#'));
  const lines = new Set((await textOf('yunohost/conf/systemd.service')).split('\n'));
  expect(missing.filter(line => !lines.has(line))).toEqual([
    'Description=Coterie',
    'RequiresMountsFor=/var/lib/coterie',
    'User=coterie',
    'WorkingDirectory=/var/lib/coterie',
    'ExecStart=/usr/bin/coterie start',
    'StateDirectory=coterie',
    'StateDirectoryMode=0700',
    'ProtectHome=true',
  ]);
});

it('the manifests of Umbrel and Cloudron name the version', async () => {
  expect(parseYaml(await textOf('umbrel/umbrel-app.yml'))).toMatchObject({
    id: 'coterie',
    version: project.version,
  });
  const cloudron = JSON.parse(await textOf('cloudron/CloudronManifest.json'));
  // Its schema refuses an address without a real host.
  expect(cloudron).not.toHaveProperty('contactEmail');
  expect(cloudron).toMatchObject({
    version: project.version,
    healthCheckPath: '/healthz',
    httpPort: 3000,
    addons: { localstorage: { sqlite: { paths: ['/app/data/coterie.db'] } } },
  });
  expect(await textOf('cloudron/Dockerfile')).toContain(
    `ADD --checksum=sha256:${sums.x64} https://releases.`,
  );
});

it('the start in Cloudron encodes the password of the mail server, and no list of processes shows it', async () => {
  const script = await textOf('cloudron/start.sh');
  const encoded = /^encoded\(\) \{.*?^\}/ms.exec(script)?.[0] ?? '';
  const by = (program: string) =>
    spawnSync('bash', ['-c', `${encoded.replace(/\S+\/node /, `${program} `)}; encoded 'a b@c'`], {
      encoding: 'utf8',
    }).stdout;
  expect(by(process.execPath)).toBe('a%20b%40c\n');
  expect(by('echo')).not.toContain('a b@c');
});

it('the backup of YunoHost takes no link for the archive of the site', async () => {
  const script = (await textOf('yunohost/scripts/backup')).replaceAll(/^source .*$/gm, '');
  const work = await mkdtemp(join(folder, 'backup-'));
  const backUp = (write: string) =>
    spawnSync(
      'bash',
      [
        '-ec',
        `data_dir=${work} app= install_dir= domain=
         ynh_print_info() { :; }; ynh_backup() { :; }; ynh_die() { exit 9; }
         run_coterie() { ${write} "$2"; }
         ${script}`,
      ],
      { cwd: work },
    ).status;
  expect(backUp('ln -s /etc/passwd')).toBe(9);
  expect(backUp('cp /etc/passwd')).toBe(0);
});
