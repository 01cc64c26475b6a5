import { expect, it } from 'vitest';
import { builtPages } from '../support/built-pages.ts';
import { describeEngines } from '../support/engines.ts';
import { type Archive, restoreTo } from './backups.ts';
import { describeHistory } from './describe.ts';
import { leaksIn } from './leaks.ts';
import { knowable, viewerBy } from './model/rule.ts';
import { emptyWorld } from './model/world.ts';
import { openInProcess } from './place.ts';
import { prove, replaying } from './prove.ts';
import { storedSeeds } from './seeds.ts';
import type { Step } from './steps.ts';
import { wordFor } from './words.ts';

/** How many steps on each engine, in different histories. `npm run prove` plays longer ones. */
const stepsOfTest = 24;

/** A stored history ends with the steps that showed a mistake; those before only make its world. */
const stepsThatShow = 4;

const learned = (await storedSeeds()).filter(({ known }) => known === undefined);

describeEngines(({ migrated, location, engine }) => {
  const restored = async (archive: Archive) => {
    const place = await location();
    await restoreTo(place, archive);
    return place;
  };
  const open = async (archive?: Archive) =>
    await openInProcess(archive ? await restored(archive) : await migrated(), await builtPages());

  it('the site answers everybody as the model does, through a random history', async () => {
    const tally = { steps: 0, questions: 0, comparisons: 0 };
    const isEnough = () => tally.steps >= stepsOfTest;
    const found = await prove(open, { seed: engine === 'sqlite' ? 1 : 2, tally, isEnough });
    expect(found && describeHistory(found.steps, found.findings)).toBeUndefined();
    console.log(`${tally.steps} steps, ${tally.questions} questions, ${tally.comparisons} comparisons`);
  });

  it('the site has after a restore what the backup has, and nobody is signed in', async () => {
    const short = { type: 'short' as const, isDraft: false, shows: [] };
    const steps: Step[] = [
      { at: 1, do: 'signUp' },
      { at: 2, do: 'signUp' },
      { at: 3, do: 'write', by: 'u0', tags: ['t1'], ...short },
      { at: 4, do: 'approve', by: 'u0', who: 'u1', tags: ['t1'] },
      { at: 5, do: 'makeToken', by: 'u1' },
      { at: 6, do: 'comment', by: 'u1', post: 'p3' },
      { at: 7, do: 'upload', by: 'u0', isPicture: false },
      { at: 8, do: 'beginUpload', by: 'u0' },
      { at: 9, do: 'openStream', by: 'u1', posts: ['p3'] },
      { at: 10, do: 'backUp' },
      { at: 11, do: 'deny', by: 'u0', who: 'u1' },
      { at: 12, do: 'approve', by: 'u0', who: 'u2', tags: ['t1'] },
      { at: 13, do: 'deletePost', by: 'u0', post: 'p3' },
      { at: 14, do: 'write', by: 'u0', tags: [], attach: ['f7'], ...short },
      { at: 15, do: 'makeToken', by: 'u2' },
      { at: 16, do: 'restore', backup: 'b10' },
      { at: 17, do: 'signIn', who: 'u0' },
      { at: 18, do: 'signIn', who: 'u1' },
      { at: 19, do: 'sendPart', by: 'u0', upload: 'a8' },
      { at: 20, do: 'allowTags', by: 'u0', who: 'u1', tags: [] },
    ];
    // Until the restore the steps only make what the backup holds.
    expect(await replaying(open, undefined, 15)(steps)).toEqual([]);
  });

  // Each stored history runs on one of the engines: `npm run prove` plays histories of hundreds of steps on
  // both.
  const first = engine === 'sqlite' ? 0 : 1;
  it.each(learned.filter((_, index) => index % 2 === first))(
    'a history that once found a mistake finds none: $title',
    async ({ steps }) => {
      expect(await replaying(open, undefined, steps.length - stepsThatShow)(steps)).toEqual([]);
    },
  );
});

it('the tester finds a word that is out of place, and an id', () => {
  const world = emptyWorld();
  const word = wordFor('title of a test');
  const visitor = viewerBy(world, { by: 'nothing' });
  const known = visitor === null ? new Set<string>() : knowable(world, visitor);
  expect(leaksIn(world, `before ${word}-after`, known)).toEqual([`${word} (title of a test)`]);
  expect(leaksIn(world, `before ${word}-after`, known, `/tags/${word}`)).toEqual([]);
  expect(leaksIn(world, 'nothing of ours', known)).toEqual([]);
});
