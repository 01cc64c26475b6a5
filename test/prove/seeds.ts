import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Step } from './steps.ts';

/** A history that is kept: what showed something wrong once, or meets a mistake of the table. */
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
  return await Promise.all(names.map(name => keptSeed(name.replace('.json', ''))));
}

/** The one that is kept in the file of that name. */
export async function keptSeed(name: string): Promise<Seed> {
  return { name, ...JSON.parse(await readFile(join(folder, `${name}.json`), 'utf8')) };
}
