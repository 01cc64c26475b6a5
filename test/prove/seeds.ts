import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Step } from './steps.ts';

/** A stored history: it once showed a defect, or it finds a mistake of the table. */
export type Seed = {
  name: string;
  title: string;
  /** Why it still fails. It is not played while this is set. */
  known?: string;
  steps: Step[];
};

const folder = join(import.meta.dirname, 'seeds');

/** All stored histories, one in each file. */
export async function storedSeeds(): Promise<Seed[]> {
  const names = (await readdir(folder)).filter(name => name.endsWith('.json')).sort();
  return await Promise.all(names.map(name => storedSeed(name.replace('.json', ''))));
}

/** The stored history in the file of this name. */
export async function storedSeed(name: string): Promise<Seed> {
  return { name, ...JSON.parse(await readFile(join(folder, `${name}.json`), 'utf8')) };
}
