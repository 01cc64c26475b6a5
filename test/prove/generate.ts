import { begunMakers } from './begun-deeds.ts';
import { decisionMakers, decisionsAtOnce } from './decision-deeds.ts';
import { type Maker, makers, tagNames } from './deeds.ts';
import { act, isAsked } from './model/acts.ts';
import { newestSession } from './model/caller.ts';
import { openTransfer } from './model/transfer-acts.ts';
import { standing, type World } from './model/world.ts';
import type { Random } from './random.ts';
import type { Deed, Step } from './steps.ts';

const deedsAtOnce = 3;

/** The first deeds of a world: some people, tags, posts and a file, with which all others have something to do. */
const prelude: readonly Deed['do'][] = [
  ...([
    'signUp',
    'signUp',
    'signUp',
    'write',
    'approve',
    'approve',
    'setAuthor',
    'upload',
    'upload',
  ] as const),
  ...(['write', 'setDefaults', 'write', 'write', 'allowTags', 'comment', 'write'] as const),
];
/** How many steps that is. */
export const stepsOfPrelude = prelude.length;

export type Choosing = {
  /** Deeds that are done more often than others. */
  often: readonly string[];
  /** How many processes of their own there are; undefined where there are none. */
  processes: number | undefined;
  /** Whether the server of the database may be killed, too. */
  hasDatabase: boolean;
  /** Names of the backups that there are. */
  backups: readonly string[];
};

/** What happens next: mostly one deed of somebody who may, sometimes of somebody who may not, sometimes several at once. */
export function nextStep(
  world: World,
  random: Random,
  at: number,
  { often, processes, hasDatabase, backups }: Choosing,
): Step {
  const first = prelude[at - 1];
  const deed = () => nextDeed(world, random, at, often);
  if (first !== undefined) return { at, ...deedOf(first, world, random, at) };
  const lockedOut = !standing(world.accounts).some(
    ({ name, isAdmin }) => isAdmin && newestSession(world, name)?.isOpen,
  );
  const admin = standing(world.accounts).find(account => account.isAdmin);
  if (lockedOut && admin !== undefined && random.chance(0.5)) return { at, do: 'signIn', who: admin.name };
  if (random.chance(0.03)) {
    return { at, do: 'moveClock', ms: Math.round((random.next() - 0.5) * 2 * 3_600_000) };
  }
  if (random.chance(0.03)) return { at, ...importPost(random) };
  // What was uploaded for an import would be saved, too, without the import.
  if (random.chance(0.02) && openTransfer(world) === undefined) return { at, do: 'backUp' };
  const backup = random.chance(0.02) ? random.pick(backups) : undefined;
  if (backup !== undefined)
    return { at, do: 'restore', backup, ...(random.chance(0.4) && { keepsAccess: true }) };
  const some = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ at: at + (index + 1) / 10, ...deed() }));
  if (processes !== undefined && random.chance(often.includes('kill') ? 0.4 : 0.08)) {
    const steps = withoutClashes(world, some(deedsAtOnce)).filter(step => step.do !== 'turnOnFactor');
    // Some are killed before the first of them was heard, and some after the last was answered.
    const ofDatabase = hasDatabase && random.chance(0.3) ? { ofDatabase: true } : {};
    return {
      at,
      do: 'kill',
      process: random.below(processes),
      ...ofDatabase,
      afterMs: random.below(60),
      steps,
    };
  }
  if (processes !== undefined && processes > 1 && random.chance(0.1)) {
    const steps = some(2).filter(step => step.do !== 'openStream');
    return { at, do: 'freeze', process: random.below(processes), steps };
  }
  if (random.chance(0.05)) return { at, do: 'together', steps: decisionsAtOnce(world, random, at) };
  if (random.chance(0.12)) return { at, do: 'together', steps: withoutClashes(world, some(deedsAtOnce)) };
  return { at, ...deed() };
}

function importPost(random: Random): Deed {
  const type = random.chance(0.5) ? 'short' : 'essay';
  return { do: 'importPost', type, tags: random.some(tagNames, 0.3), isDraft: random.chance(0.2) };
}

function nextDeed(world: World, random: Random, at: number, often: readonly string[] = []): Deed {
  const isOften = often.some(deed => deed !== 'kill') && random.chance(0.6);
  const mayBeNothing = random.chance(0.4);
  for (let tries = 0; ; tries += 1) {
    const deed = chosenMaker(random)(world, random);
    const isWanted = !isOften || tries > 300 || (deed !== undefined && often.includes(deed.do));
    if (deed === undefined || !isWanted) continue;
    if (!mayBeNothing && tries < 600 && !doesSomething(world, { at, ...deed })) continue;
    random.remember(Object.values(deed).filter(value => typeof value === 'string'));
    return deed;
  }
}

/** Whether a deed is neither refused nor leaves everything as it is; a mail that is asked for is something, too. */
function doesSomething(world: World, step: Step): boolean {
  if (!isAsked(step) || step.do === 'askSignInLink') return true;
  const then = structuredClone(world);
  return 'result' in act(then, step, {}) && JSON.stringify(then) !== JSON.stringify(world);
}

const all = [...makers, ...decisionMakers, ...begunMakers];

function chosenMaker(random: Random): Maker {
  const sum = all.reduce((total, [weight]) => total + weight, 0);
  let left = random.next() * sum;
  const found = all.find(([weight]) => {
    left -= weight;
    return left <= 0;
  });
  return found?.[1] ?? chosenMaker(random);
}

/**
 * Two names for one tag at once would leave open by which the questions ask, and which tag another step means; what opens a
 * stream waits for none; and what takes two requests has begun before the others.
 */
function withoutClashes(world: World, steps: Step[]): Step[] {
  const clashing = new Set<string>([
    'startExport',
    'checkImport',
    'startImport',
    'endTransfer',
    'workOnTransfers',
    'openStream',
    'closeStream',
    'turnOnFactor',
    'addPasskey',
    'signInByPasskey',
    'signInByLink',
  ]);
  return steps.filter(step => {
    if (step.do === 'signIn' && world.accounts[step.who]?.codes != null) return false;
    const kind = step.do === 'renameTag' || step.do === 'addTag' || step.do === 'deleteTag' ? 'tag' : step.do;
    if (clashing.has(kind)) return false;
    if (step.do === 'renameTag' && steps.some(namesTags)) return false;
    if (kind === 'tag' || kind === 'changePassword' || kind === 'signIn') clashing.add(kind);
    return true;
  });
}

const namesTags = (step: Step) => 'tags' in step || step.do === 'decideMany';

/** A deed of one kind that does something, or another where that cannot be. */
function deedOf(kind: Deed['do'], world: World, random: Random, at: number): Deed {
  for (let tries = 0; tries < 2_000; tries += 1) {
    const deed = chosenMaker(random)(world, random);
    if (deed?.do === kind && doesSomething(world, { at, ...deed })) return deed;
  }
  return nextDeed(world, random, at);
}
