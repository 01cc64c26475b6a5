import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import type { Mistake } from './plant.ts';

type Mutant = Mistake & {
  /** Deeds that touch it: they are done more often, so that it is found sooner. */
  deeds?: string[];
  /** Why nobody can see that it was made. */
  equivalent?: string;
  /** Why the tester does not meet it, and what other test does. */
  elsewhere?: string;
};

/**
 * `npm run prove:mutants`: makes each mistake of the table, one at a time, and lets the tester look for it. Prints a line for
 * each, and ends with 1 where one survives that could be seen. `--only TEXT` takes those that hold it, `--part 2/5` the
 * second fifth of the table, `--jobs` as many at a time.
 */
const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    part: { type: 'string', default: '1/1' },
    jobs: { type: 'string', default: '1' },
    steps: { type: 'string', default: '150' },
    seed: { type: 'string', default: '1' },
  },
});
const root = join(import.meta.dirname, '../..');
/** Each run loads the same sources, all but one. */
const cache = join(root, '.cache/compiled');

const mutants: Mutant[] = JSON.parse(await readFile(join(import.meta.dirname, 'mutants.json'), 'utf8'));
const [part = 1, parts = 1] = values.part.split('/').map(Number);
const chosen = mutants
  .filter(mutant => JSON.stringify(mutant).includes(values.only))
  .filter((_, index) => index % parts === part - 1);
// All patterns first: sources that have moved on must not take an hour to say so.
for (const { file, find } of chosen) {
  const times = (await readFile(join(root, file), 'utf8')).split(find).length - 1;
  if (times !== 1) throw new Error(`${file} holds ${times} times, not once: ${find}`);
}
let survived = 0;
const left = [...chosen];
const work = async () => {
  for (let mutant = left.shift(); mutant !== undefined; mutant = left.shift()) {
    const start = performance.now();
    const { isKilled, by } = await look(mutant);
    const explanation = mutant.equivalent ?? mutant.elsewhere;
    if (!isKilled && explanation === undefined) survived += 1;
    const change = `${mutant.file}: ${oneLine(mutant.find)} -> ${oneLine(mutant.put) || 'nothing'}`;
    const seconds = Math.round((performance.now() - start) / 1_000);
    const why = isKilled ? by : (explanation ?? '');
    console.log(`${isKilled ? 'killed' : 'survived'}\t${seconds} s\t${change}\t${why}`);
  }
};
await Promise.all(Array.from({ length: Number(values.jobs) }, work));
console.log(`${chosen.length} mutants, ${survived} of them survived unexplained.`);
if (survived > 0) process.exitCode = 1;

/** Lets the tester look for a mistake. One that keeps the site from working at all is found, too. */
async function look({ file, find, put, deeds = [] }: Mutant): Promise<{ isKilled: boolean; by: string }> {
  const args = ['--raw', '--steps', values.steps, '--seed', values.seed, '--often', deeds.join()];
  const child = spawn(
    process.execPath,
    ['--import', join(import.meta.dirname, 'plant.ts'), join(import.meta.dirname, 'main.ts'), ...args],
    {
      env: { ...process.env, MISTAKE: JSON.stringify({ file, find, put }), NODE_COMPILE_CACHE: cache },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const [out, err, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  const found =
    /^After .*$/m.exec(out)?.[0] ??
    err
      .trim()
      .split('\n')
      .findLast(line => /Error/.test(line)) ??
    err;
  return { isKilled: code !== 0, by: found.slice(0, 300) };
}

function oneLine(code: string): string {
  return code.replaceAll(/\s+/g, ' ').trim();
}
