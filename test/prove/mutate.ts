import { appendFile, mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import '../support/no-settings.ts';
import type { Hunt, Hunted } from './hunt.ts';
import { Hunter } from './hunter.ts';
import { type Mistake, withMistake } from './mistake.ts';
import { isKilled, type Judged, type Mutant } from './mutant.ts';
import { runTest } from './planted-test.ts';

/**
 * `npm run prove:mutants`: makes each mistake of the table (mutants.json), one at a time, and lets the tester
 * look for it, or runs the test that the table names. Prints a line for each, and ends with 1 if a mistake
 * with a visible effect is not found. Results are stored in .cache/mutants.jsonl, so that a run continues
 * where the last one ended, and looks for mistakes that were not found in other histories; `--again` starts
 * from the beginning. `--only TEXT` takes the mistakes that contain the text, `--part 2/5` every fifth of
 * them, and `--known` prints the stored results only.
 */
const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    part: { type: 'string', default: '1/1' },
    again: { type: 'boolean', default: false },
    known: { type: 'boolean', default: false },
    steps: { type: 'string', default: '80' },
    seed: { type: 'string', default: '1' },
  },
});
const root = join(import.meta.dirname, '../..');
const cache = join(root, '.cache');
const kept = join(cache, 'mutants.jsonl');
/** Sources that were loaded again stay in memory, so after so many mistakes another process takes over. */
const huntsOfProcess = 50;

const table: Record<string, Omit<Mutant, 'file'>[]> = JSON.parse(
  await readFile(join(import.meta.dirname, 'mutants.json'), 'utf8'),
);
const mutants = Object.entries(table).flatMap(([file, all]) => all.map(one => ({ ...one, file })));
const named = mutants.filter(mutant => JSON.stringify(mutant).includes(values.only));
const [part = 1, parts = 1] = values.part.split('/').map(Number);
const chosen: Mutant[] = [];
// All places and titles are checked first: a source that has changed must not be found after an hour only.
for (const mutant of named) {
  const [test = '', ...titles] = mutant.test?.split(' > ') ?? [];
  const tests = test === '' ? '' : await readFile(join(root, test), 'utf8');
  try {
    withMistake(await readFile(join(root, mutant.file), 'utf8'), mutant);
    if (!titles.every(title => tests.includes(title))) throw new Error(`There is no ${mutant.test}`);
    chosen.push(mutant);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
  }
}
await mkdir(cache, { recursive: true });
if (values.again) await rm(kept, { force: true });
let judged = await readJudged();

let hunter: Hunter | undefined;
// Mistakes that were never looked for come first.
const isKnown = (mutant: Mutant) => Number(judged.has(keyOf(mutant)));
const ofPart = chosen.filter((_, index) => !values.known && index % parts === part - 1);
for (const mutant of ofPart.toSorted((one, other) => isKnown(one) - isKnown(other))) {
  // Another part may run at the same time, and play the same histories without a mistake.
  judged = await readJudged();
  const known = judged.get(keyOf(mutant));
  if ((isKilled(known) && !known?.isOnce) || (known !== undefined && mutant.equivalent !== undefined))
    continue;
  const looking = mutant.test === undefined ? hunt(mutant, known) : runTest(mutant);
  const found = await looking.catch(console.error);
  if (found === undefined) continue;
  const one = { ...found, key: keyOf(mutant) };
  await remember(one);
  const change = `${mutant.file}, ${mutant.at} -> ${mutant.put}`;
  console.log([isKilled(one) ? 'killed' : 'survived', `${one.seconds} s`, change, one.finding].join('\t'));
}
hunter?.end();
judged = await readJudged();

const all = chosen.map(mutant => ({ mutant, judged: judged.get(keyOf(mutant)) }));
const survived = all.filter(each => !isKilled(each.judged) && each.mutant.equivalent === undefined);
console.log(`${chosen.length} mutants, ${survived.length} of them survived unexplained.`);
if (survived.length > 0 || chosen.length < named.length) process.exitCode = 1;

/**
 * Lets the tester look for a mistake, in histories that it has not played before. A finding
 * counts if the same history shows one again, and none on the unchanged sources.
 */
async function hunt(
  { file, at, put, history: kept, deeds = [] }: Mutant,
  before: Judged | undefined,
): Promise<Hunted> {
  const mistake = { file, at, put };
  if (kept !== undefined) return await huntIn(kept, mistake);
  const known = before?.isOnce ? undefined : before;
  const sum = { steps: known?.steps ?? 0, seconds: known?.seconds ?? 0 };
  const most = sum.steps + Number(values.steps);
  let seed = known?.seed ?? Number(values.seed);
  while (sum.steps < most) {
    const hunted = await ask({ mistake, deeds, seed, steps: most - sum.steps });
    sum.steps += Math.max(hunted.steps, 1);
    sum.seconds += hunted.seconds;
    if (hunted.finding === undefined) return { ...hunted, ...sum };
    const history = { deeds, seed: hunted.seed, steps: hunted.stepsOfHistory };
    const again = await ask({ ...history, mistake });
    sum.seconds += again.seconds;
    if (again.finding !== undefined && !(await isSeenWithoutIt(history))) return { ...hunted, ...sum };
    console.error(`Not counted, in the history ${JSON.stringify(history)}: ${hunted.finding}`);
    seed = hunted.seed + 1;
  }
  return { finding: undefined, seed, stepsOfHistory: 0, ...sum };
}

/** Plays a stored history; its finding counts if there is none on the unchanged sources. */
async function huntIn(history: string, mistake: Mistake): Promise<Hunted> {
  const asked = { history, deeds: [], seed: 0, steps: 0 };
  const hunted = await ask({ ...asked, mistake });
  if (hunted.finding === undefined) return hunted;
  const key = JSON.stringify(['no mistake', history]);
  const clean = judged.get(key) ?? (await ask({ ...asked, mistake: undefined }));
  if (!judged.has(key)) await remember({ ...clean, key });
  if (clean.finding === undefined) return hunted;
  console.error(`Without any mistake, in the stored history ${history}: ${clean.finding}`);
  return { ...hunted, finding: undefined };
}

/** Whether a history shows a finding on the unchanged sources. The answer is stored. */
async function isSeenWithoutIt(history: Omit<Hunt, 'mistake' | 'history'>): Promise<boolean> {
  const key = JSON.stringify(['no mistake', history.seed, history.deeds]);
  const known = judged.get(key);
  if (known !== undefined && (isKilled(known) || known.stepsOfHistory >= history.steps))
    return isKilled(known);
  const hunted = await ask({ ...history, mistake: undefined });
  if (isKilled(hunted)) console.error(`Without any mistake, ${key}: ${hunted.finding}`);
  await remember({ ...hunted, key, stepsOfHistory: history.steps });
  return isKilled(hunted);
}

async function ask(asked: Hunt): Promise<Hunted> {
  if (hunter === undefined || hunter.count >= huntsOfProcess || hunter.hasEnded) {
    hunter?.end();
    hunter = await Hunter.start(join(cache, 'compiled'));
  }
  return await hunter.hunt(asked);
}

async function remember(one: Judged): Promise<void> {
  judged.set(one.key, one);
  await appendFile(kept, `${JSON.stringify(one)}\n`);
}

async function readJudged(): Promise<Map<string, Judged>> {
  const lines = await readFile(kept, 'utf8').catch(() => '');
  const all: Judged[] = lines
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line));
  return new Map(all.map(one => [one.key, one]));
}

function keyOf({ file, at, put }: Mutant): string {
  return JSON.stringify([file, at, put]);
}
