import { expect, it } from 'vitest';
import { builtPages } from '../built-pages.ts';
import { describeEngines } from '../engines.ts';
import { leaksIn } from './leaks.ts';
import { knowable, viewerBy } from './model/rule.ts';
import { emptyWorld } from './model/world.ts';
import { openInProcess } from './place.ts';
import { prove, replaying } from './prove.ts';
import { sayHistory } from './say.ts';
import { keptSeeds } from './seeds.ts';
import { wordFor } from './words.ts';

/** Enough to meet every kind of step and question in some seconds; `npm run prove` goes on for as long as it is let. */
const stepsOfTest = 40;

describeEngines('the site beside the model of it', ({ migrated }) => {
  const open = async () => await openInProcess(await migrated(), await builtPages());

  it('answers everybody as the model does, through a random history', async () => {
    const tally = { steps: 0, questions: 0, comparisons: 0 };
    const isEnough = () => tally.steps >= stepsOfTest;
    const found = await prove(open, { seed: 1, tally, isEnough });
    expect(found && sayHistory(found.steps, found.findings)).toBeUndefined();
    console.log(`${tally.steps} steps, ${tally.questions} questions, ${tally.comparisons} comparisons`);
  });

  it('has not unlearned what was found before', async () => {
    const unlearned: unknown[] = [];
    for (const { title, known, steps } of await keptSeeds()) {
      const findings = await replaying(open)(steps);
      if (known === undefined && findings.length > 0) unlearned.push({ title, findings });
    }
    expect(unlearned).toEqual([]);
  });
});

it('finds a word that is out of place, and an id', () => {
  const world = emptyWorld();
  const word = wordFor('title of a test');
  const visitor = viewerBy(world, { by: 'nothing' });
  const known = visitor === null ? new Set<string>() : knowable(world, visitor);
  expect(leaksIn(world, `before ${word}-after`, known)).toEqual([`${word} (title of a test)`]);
  expect(leaksIn(world, `before ${word}-after`, known, `/tags/${word}`)).toEqual([]);
  expect(leaksIn(world, 'nothing of ours', known)).toEqual([]);
});
