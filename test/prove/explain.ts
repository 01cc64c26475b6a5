import { differenceOfOutcome } from './matches.ts';
import type { Told } from './model/act.ts';
import { type Asked, act } from './model/acts.ts';
import type { World } from './model/world.ts';
import type { Outcome } from './outcome.ts';
import type { DeedOf } from './steps.ts';

/**
 * A deed and its outcome. If the server was killed before it answered, the deed may have happened or not:
 * `outcome` is `lost`, and `found` is what the database showed of it afterwards, where it shows anything.
 */
export type Done = { step: DeedOf<Asked>; outcome: Outcome | 'lost'; found?: Told | 'nothing' };

export type Explanation = { world: World } | { text: string };

/**
 * Deeds that are answered with the account after them, which a deed at the same moment may have changed
 * again.
 */
const decisions = new Set<string>([
  'approve',
  'deny',
  'decideMany',
  'undo',
  'allowTags',
  'setAdmin',
  'setAuthor',
  'mute',
  'removeFace',
]);

/** Deeds that may take a role or a tag away. */
const narrowing = new Set([...decisions, 'requireFactor', 'setDefaults']);

/** Every order in which deeds that were done at once may have happened, on each of these worlds. */
export function explanations(worlds: readonly World[], done: readonly Done[]): Explanation[] {
  return worlds.flatMap(before =>
    orders(done).flatMap(order => fates(order).map(fate => explain(before, fate))),
  );
}

/** Plays deeds in the model, in one order, and compares each with what the server answered. */
function explain(before: World, order: readonly Done[]): Explanation {
  const world = structuredClone(before);
  for (const { step, outcome, found } of order) {
    if (outcome === 'lost') {
      const expected = act(world, step, typeof found === 'object' ? found : {});
      if (typeof found === 'object' && 'refusal' in expected)
        return { text: `${step.do}: it was done and not refused` };
      continue;
    }
    // Somebody who lost a role or a tag in the middle of it is refused with a sentence about that, and
    // nothing was done.
    if ('refusal' in outcome && outcome.refusal === 'aborted' && order.some(mayNarrow)) continue;
    const expected = act(world, step, 'told' in outcome ? outcome.told : {});
    const isDone = 'result' in expected && 'result' in outcome;
    if (isDone && order.length > 1 && decisions.has(step.do)) continue;
    const text = differenceOfOutcome(expected, outcome);
    if (text !== undefined) return { text: `${step.do}: ${text}` };
  }
  return { world };
}

const mayNarrow = ({ step }: Done) => narrowing.has(step.do);

/** The deeds with and without each one that may have happened or not. */
function fates([first, ...rest]: readonly Done[]): Done[][] {
  if (first === undefined) return [[]];
  const others = fates(rest);
  const withIt = first.found === 'nothing' ? [] : others.map(other => [first, ...other]);
  const mayBeNothing = first.outcome === 'lost' && typeof first.found !== 'object';
  return mayBeNothing ? [...withIt, ...others] : withIt;
}

function orders<T>(all: readonly T[]): T[][] {
  if (all.length < 2) return [[...all]];
  return all.flatMap((one, index) => orders(all.toSpliced(index, 1)).map(rest => [one, ...rest]));
}

export function distinct(worlds: readonly World[]): World[] {
  return [...new Map(worlds.map(world => [JSON.stringify(world), world])).values()];
}
