import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { buildServer, serverPrograms } from '../../scripts/build-server.ts';

/**
 * Builds the process that runs the sites of the journeys (site-host.ts) from the sources of the built server.
 */
export default async function setup(): Promise<() => Promise<void>> {
  // Within the checkout, where it finds its packages of machine code.
  const parent = join(import.meta.dirname, '../../.cache');
  await mkdir(parent, { recursive: true });
  const folder = await mkdtemp(join(parent, 'site-host-'));
  await buildServer({ ...serverPrograms, 'site-host': 'test/e2e/site-host.ts' }, folder);
  process.env.SITE_HOST = join(folder, 'site-host.js');
  return () => rm(folder, { recursive: true, force: true });
}
