import { execFileSync } from 'node:child_process';
import { glob, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'vite';
import project from '../../package.json' with { type: 'json' };
import { epoch, root } from './files.ts';

type Component = { 'bom-ref': string; name: string };
type Bill = {
  serialNumber?: string;
  metadata: { timestamp: string; component: { name: string } };
  components: Component[];
  dependencies: { ref: string; dependsOn: string[] }[];
};

/**
 * Writes the list of components in CycloneDX: what `npm sbom` knows of the packages that are bundled, as the
 * source maps of the server and the build of the web app name them, and of those with machine code.
 */
export async function writeBill(file: string): Promise<void> {
  const text = execFileSync('npm', ['sbom', '--sbom-format=cyclonedx', '--package-lock-only'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  const bill = JSON.parse(text) as Bill;
  const shipped = new Set([...(await bundledPackages()), ...installedPackages()]);
  bill.components = bill.components.filter(({ name }) => shipped.has(name));
  const refs = new Set(bill.components.map(component => component['bom-ref']));
  bill.dependencies = bill.dependencies
    .filter(({ ref }) => refs.has(ref) || ref.startsWith(`${project.name}@`))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(other => refs.has(other)) }));
  bill.metadata.timestamp = new Date(epoch * 1_000).toISOString();
  // npm takes the name of the folder.
  bill.metadata.component.name = project.name;
  delete bill.serialNumber;
  await writeFile(file, `${JSON.stringify(bill, null, 1)}\n`);
}

async function bundledPackages(): Promise<Set<string>> {
  const files: string[] = [];
  for await (const map of glob('dist/server/*.map', { cwd: root })) {
    const { sources } = JSON.parse(await readFile(join(root, map), 'utf8')) as { sources: string[] };
    files.push(...sources);
  }
  process.env.NODE_ENV = 'production';
  const built = await build({ root, logLevel: 'error', build: { write: false } });
  for (const made of [built].flat()) {
    for (const file of 'output' in made ? made.output : [])
      if (file.type === 'chunk') files.push(...file.moduleIds);
  }
  return new Set(files.flatMap(file => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? []));
}

/** The packages with machine code, for all systems, and what they need. */
const installedPackages = () => [
  ...Object.keys(project.dependencies),
  ...Object.keys(project.optionalDependencies),
  ...['@img/colour', 'detect-libc', 'semver'],
  ...['linux-x64', 'linux-arm64'].flatMap(name => [`@img/sharp-${name}`, `@img/sharp-libvips-${name}`]),
];
