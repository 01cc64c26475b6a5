import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Step } from './steps.ts';

/** A counterexample that was found once: what was wrong, and the history that showed it. */
export type Seed = {
  name: string;
  title: string;
  /** Why it may still fail; it is played again once this is taken away. */
  known?: string;
  steps: Step[];
};

const folder = join(import.meta.dirname, 'seeds');

/** All that are kept, one a file. */
export async function keptSeeds(): Promise<Seed[]> {
  const names = (await readdir(folder)).filter(name => name.endsWith('.json')).sort();
  return await Promise.all(
    names.map(async name => ({ name, ...JSON.parse(await readFile(join(folder, name), 'utf8')) })),
  );
}
