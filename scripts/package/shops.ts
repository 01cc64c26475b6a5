import { cp, glob, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import project from '../../package.json' with { type: 'json' };
import { type Machine, root } from './files.ts';

/** Where a release is downloaded from, and its image in a registry, by which a shop names it. */
export type Release = { releases: string; image: string; sums: Readonly<Record<Machine, string>> };

/**
 * Writes what YunoHost, Umbrel and Cloudron need to install a release, from the templates in deploy/shops.
 */
export async function writeShops(folder: string, { releases, image, sums }: Release): Promise<void> {
  await cp(join(root, 'deploy/shops'), folder, { recursive: true });
  // YunoHost's check of packages asks for it.
  await cp(join(root, 'LICENSE'), join(folder, 'yunohost/LICENSE'));
  const values: Readonly<Record<string, string>> = {
    VERSION: project.version,
    LICENSE: project.license,
    RELEASES: releases.replace(/\/+$/, ''),
    IMAGE: image,
    SHA256_X64: sums.x64,
    SHA256_ARM64: sums.arm64,
  };
  for await (const entry of glob('**/*', { cwd: folder, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    const text = await readFile(file, 'utf8');
    const filled = text.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => {
      const value = values[name];
      if (value === undefined) throw new Error(`${file} names {{${name}}}, which there is not.`);
      return value;
    });
    if (filled !== text) await writeFile(file, filled);
  }
}
