import { appendFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Hunted } from './hunt.ts';
import { Hunter } from './hunter.ts';
import { isKilled, type Judged, type Mutant, tableOf } from './mutant-table.ts';
import { runTest } from './planted-test.ts';

/**
 * `npm run prove:mutants`: makes each mistake of the table (mutants.json), one at a time, and lets the tester look for it, or
 * runs the test that the table names. Prints a line for each, and ends with 1 where one survives that could be seen. What is
 * known of a mistake is kept in .cache/mutants.jsonl, so that a run goes on where the last one ended; what survived is looked for in
 * other histories; `--again` begins anew.
 * `--only TEXT` takes those that hold it, `--part 2/5` every fifth of them. `--write` writes docs/mutants.md.
 */
const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    part: { type: 'string', default: '1/1' },
    again: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    steps: { type: 'string', default: '80' },
    seed: { type: 'string', default: '1' },
  },
});
const root = join(import.meta.dirname, '../..');
const cache = join(root, '.cache');
const kept = join(cache, 'mutants.jsonl');
/** Sources that were loaded again stay in memory; after so many mistakes the next process takes over. */
const mistakesOfProcess = 15;

const mutants: Mutant[] = JSON.parse(await readFile(join(import.meta.dirname, 'mutants.json'), 'utf8'));
const named = mutants.filter(mutant => JSON.stringify(mutant).includes(values.only));
const [part = 1, parts = 1] = values.part.split('/').map(Number);
const chosen: Mutant[] = [];
// All patterns first: sources that have moved on must not take an hour to say so.
for (const mutant of named) {
  const times = (await readFile(join(root, mutant.file), 'utf8')).split(mutant.find).length - 1;
  if (times === 1) chosen.push(mutant);
  else console.error(`${mutant.file} holds ${times} times, not once: ${mutant.find}`);
}
await mkdir(cache, { recursive: true });
if (values.again) await rm(kept, { force: true });
const judged = await readJudged();

let hunter: Hunter | undefined;
// Those first that nobody has looked for.
const isKnown = (mutant: Mutant) => Number(judged.has(keyOf(mutant)));
const inTurn = chosen.toSorted((one, other) => isKnown(one) - isKnown(other));
for (const mutant of inTurn.filter((_, index) => index % parts === part - 1)) {
  const known = judged.get(keyOf(mutant));
  if (isKilled(known) || (known !== undefined && mutant.equivalent !== undefined)) continue;
  const found = mutant.test === undefined ? await hunt(mutant, known) : await runTest(mutant);
  const one = { key: keyOf(mutant), ...found };
  judged.set(one.key, one);
  await appendFile(kept, `${JSON.stringify(one)}\n`);
  const change = `${mutant.file}: ${oneLine(mutant.find)} -> ${oneLine(mutant.put)}`;
  console.log([isKilled(one) ? 'killed' : 'survived', `${one.seconds} s`, change, one.finding].join('\t'));
}
hunter?.end();

const all = chosen.map(mutant => ({ mutant, judged: judged.get(keyOf(mutant)) }));
const survived = all.filter(each => !isKilled(each.judged) && each.mutant.equivalent === undefined);
console.log(`${chosen.length} mutants, ${survived.length} of them survived unexplained.`);
if (values.write) await writeFile(join(root, 'docs/mutants.md'), tableOf(all));
if (survived.length > 0 || chosen.length < named.length) process.exitCode = 1;

/** Lets the tester look for a mistake; for one that it has looked for before, in histories that it has not played. */
async function hunt({ file, find, put, deeds = [] }: Mutant, known: Judged | undefined): Promise<Hunted> {
  if (hunter === undefined || hunter.count >= mistakesOfProcess || hunter.hasEnded) {
    hunter?.end();
    hunter = await Hunter.start(join(cache, 'compiled'));
  }
  const { seed, steps, seconds } = known ?? { seed: Number(values.seed), steps: 0, seconds: 0 };
  const found = await hunter.hunt({ mistake: { file, find, put }, deeds, seed, steps: Number(values.steps) });
  return { ...found, steps: steps + found.steps, seconds: seconds + found.seconds };
}

async function readJudged(): Promise<Map<string, Judged>> {
  const lines = await readFile(kept, 'utf8').catch(() => '');
  const all: Judged[] = lines
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line));
  return new Map(all.map(one => [one.key, one]));
}

function keyOf({ file, find, put }: Mutant): string {
  return JSON.stringify([file, find, put]);
}

function oneLine(code: string): string {
  return code.replaceAll(/\s+/g, ' ').trim() || 'nothing';
}
