import { copyFile, cp, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import project from '../../package.json' with { type: 'json' };
import { epoch, type Machine, machines, run, sha256, tar } from './files.ts';

/** What Node.js needs of an operating system. There is no shell in the image. */
const libraries = 'libc6,libgcc-s1,libstdc++6';
/** The number of the user, high enough to be nobody's on the machine. */
const user = 10_001;
const created = new Date(epoch * 1_000).toISOString();

/**
 * Writes an OCI image as an archive that `podman load`, `docker load` and skopeo read: one layer of Debian's
 * libraries, one of the program, and their descriptions.
 */
export async function writeImage(
  program: string,
  machine: Machine,
  folder: string,
  target: string,
): Promise<void> {
  const blobs = join(folder, 'oci/blobs/sha256');
  await mkdir(blobs, { recursive: true });
  const layers = [
    await addLayer(folder, blobs, 'system', path => makeSystem(path, machine)),
    await addLayer(folder, blobs, 'program', path => placeProgram(path, program, machine)),
  ];
  const config = await addJson(blobs, 'application/vnd.oci.image.config.v1+json', {
    created,
    architecture: machines[machine],
    os: 'linux',
    config: {
      User: `${user}:${user}`,
      ExposedPorts: { '3000/tcp': {} },
      Env: ['PATH=/usr/bin', 'HOST=0.0.0.0', 'DATA_DIR=/data'],
      Entrypoint: ['/usr/bin/coterie'],
      Cmd: ['start'],
      Volumes: { '/data': {} },
      WorkingDir: '/data',
      StopSignal: 'SIGTERM',
      Labels: {
        'org.opencontainers.image.title': 'Coterie',
        'org.opencontainers.image.version': project.version,
        'org.opencontainers.image.licenses': project.license,
      },
    },
    rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
  });
  const manifest = await addJson(blobs, 'application/vnd.oci.image.manifest.v1+json', {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    config,
    layers: layers.map(({ descriptor }) => descriptor),
  });
  // The names that podman and docker give it: localhost/coterie:VERSION.
  const name = `coterie:${project.version}`;
  const annotations = {
    'org.opencontainers.image.ref.name': name,
    'io.containerd.image.name': `localhost/${name}`,
  };
  const index = { schemaVersion: 2, manifests: [{ ...manifest, annotations }] };
  await writeFile(join(folder, 'oci/index.json'), JSON.stringify(index));
  await writeFile(join(folder, 'oci/oci-layout'), '{"imageLayoutVersion":"1.0.0"}');
  tar(join(folder, 'oci'), '.', join(target, `coterie-${project.version}-image-${machine}.tar`));
}

type Descriptor = { mediaType: string; digest: string; size: number };

async function addLayer(
  folder: string,
  blobs: string,
  name: string,
  fill: (path: string) => Promise<void>,
): Promise<{ descriptor: Descriptor; diffId: string }> {
  const path = join(folder, name);
  const file = join(folder, `${name}.tar.gz`);
  await mkdir(path);
  await fill(path);
  tar(path, '.', file, true);
  const bytes = await readFile(file);
  const digest = sha256(bytes);
  await copyFile(file, join(blobs, digest));
  const mediaType = 'application/vnd.oci.image.layer.v1.tar+gzip';
  return {
    descriptor: { mediaType, digest: `sha256:${digest}`, size: bytes.length },
    diffId: `sha256:${sha256(gunzipSync(bytes))}`,
  };
}

/** The program, and a command that starts it without a shell. */
async function placeProgram(path: string, program: string, machine: Machine): Promise<void> {
  const place = '/usr/lib/coterie';
  await cp(program, join(path, place), { recursive: true });
  await mkdir(join(path, 'usr/bin'));
  const start = `#!${place}/node_modules/node-linux-${machine}/bin/node\nrequire('${place}/bin/coterie.js');\n`;
  await writeFile(join(path, 'usr/bin/coterie'), start);
  run('chmod', ['755', join(path, 'usr/bin/coterie')]);
}

/** Debian's libraries, unpacked and not configured, which runs no program of the other machine. */
async function makeSystem(path: string, machine: Machine): Promise<void> {
  const options = ['--variant=extract', '--mode=root', `--architectures=${machines[machine]}`];
  run('mmdebstrap', ['--quiet', ...options, `--include=${libraries}`, 'bookworm', path]);
  // Made for a whole system, some of it from the machine that packs.
  for (const left of ['dev', 'etc', 'tmp', 'var', 'usr/share/gcc', 'usr/share/gdb', 'usr/share/lintian'])
    await rm(join(path, left), { recursive: true, force: true });
  // Places for what a container is given.
  for (const place of ['dev', 'etc', 'proc', 'sys']) await mkdir(join(path, place));
  for (const [name, text] of Object.entries({
    passwd: `root:x:0:0:root:/:/sbin/nologin\ncoterie:x:${user}:${user}:Coterie:/data:/sbin/nologin\n`,
    group: `root:x:0:\ncoterie:x:${user}:\n`,
    'nsswitch.conf': 'hosts: files dns\n',
  }))
    await writeFile(join(path, 'etc', name), text);
  run('install', ['-d', '-m', '1777', join(path, 'tmp')]);
  run('install', ['-d', '-m', '700', '-o', String(user), '-g', String(user), join(path, 'data')]);
}

async function addJson(blobs: string, mediaType: string, value: object): Promise<Descriptor> {
  const text = JSON.stringify(value);
  const digest = sha256(text);
  const file = join(blobs, digest);
  await writeFile(file, text);
  return { mediaType, digest: `sha256:${digest}`, size: (await stat(file)).size };
}
