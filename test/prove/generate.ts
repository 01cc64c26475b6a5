import { begunMakers } from './begun-deeds.ts';
import { type Maker, tagNames } from './choices.ts';
import { decisionMakers, decisionsAtOnce } from './decision-deeds.ts';
import { makers } from './deeds.ts';
import { act, isAsked } from './model/acts.ts';
import { newestSession } from './model/caller.ts';
import { openTransfer } from './model/transfer-acts.ts';
import { existing, type World } from './model/world.ts';
import { proposalMakers } from './proposal-deeds.ts';
import type { Random } from './random.ts';
import type { Deed, Step } from './steps.ts';

const deedsAtOnce = 3;

/**
 * The first deeds of a world: they make some people, tags, posts and a file for the other deeds to work on.
 */
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
/** How many steps the first deeds are. */
export const stepsOfPrelude = prelude.length;

export type Choosing = {
  /** Deeds that are done more often than others. */
  often: readonly string[];
  /** How many servers run as separate processes; undefined if they run in this one. */
  processes: number | undefined;
  /** Whether the server of the database may be killed, too. */
  hasDatabase: boolean;
  /** Names of the backups that were made. */
  backups: readonly string[];
};

/**
 * The next step: mostly one deed of somebody who is allowed it, sometimes of somebody who is not, sometimes
 * several at once.
 */
export function nextStep(
  world: World,
  random: Random,
  at: number,
  { often, processes, hasDatabase, backups }: Choosing,
): Step {
  const first = prelude[at - 1];
  const deed = () => nextDeed(world, random, at, often);
  if (first !== undefined) return { at, ...deedOf(first, world, random, at) };
  const lockedOut = !existing(world.accounts).some(
    ({ name, isAdmin }) => isAdmin && newestSession(world, name)?.isOpen,
  );
  const admin = existing(world.accounts).find(account => account.isAdmin);
  if (lockedOut && admin !== undefined && random.chance(0.5)) return { at, do: 'signIn', who: admin.name };
  if (random.chance(0.03)) {
    return { at, do: 'moveClock', ms: Math.round((random.next() - 0.5) * 2 * 3_600_000) };
  }
  // Beyond the next hour, at which there may be digests.
  const hasDigests = existing(world.accounts).some(({ hasDigest }) => hasDigest);
  if (random.chance(0.03) && hasDigests) return { at, do: 'moveClock', ms: 63 * 60_000 };
  if (random.chance(0.03)) return { at, ...importPost(random) };
  // The backup would hold the files uploaded for an import, but not the import.
  if (random.chance(0.02) && openTransfer(world) === undefined) return { at, do: 'backUp' };
  const backup = random.chance(0.02) ? random.pick(backups) : undefined;
  if (backup !== undefined)
    return { at, do: 'restore', backup, ...(random.chance(0.4) && { keepsAccess: true }) };
  const some = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ at: at + (index + 1) / 10, ...deed() }));
  if (processes !== undefined && random.chance(often.includes('kill') ? 0.4 : 0.08)) {
    // What these make (codes, the address of a picture) could not be told if the answer is lost.
    const steps = withoutClashes(world, some(deedsAtOnce)).filter(
      step => step.do !== 'turnOnFactor' && step.do !== 'setFace',
    );
    // Some servers are killed before they have received the first deed, and some after they have answered the
    // last.
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
  const yearsAgo = random.pick([0, 1, 1, 2]) ?? 0;
  return { do: 'importPost', type, tags: random.some(tagNames, 0.3), isDraft: random.chance(0.2), yearsAgo };
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

/** Whether a deed is allowed and changes something; a mail counts as a change. */
function doesSomething(world: World, step: Step): boolean {
  if (!isAsked(step) || step.do === 'askSignInLink') return true;
  const then = structuredClone(world);
  return 'result' in act(then, step, {}) && JSON.stringify(then) !== JSON.stringify(world);
}

const all = [...makers, ...decisionMakers, ...begunMakers, ...proposalMakers];

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
 * The steps without those that cannot be done at once with others. Two names for one tag would leave open
 * which name the questions use and which tag another step means; a sign-in is asked with the password that
 * was there before all of them; a step that opens a stream does not wait for the others; and a deed of two
 * requests begins before the others.
 */
function withoutClashes(world: World, steps: Step[]): Step[] {
  const clashing = new Set<string>([
    'startExport',
    'checkImport',
    'startImport',
    'endTransfer',
    'mergeTag',
    'retagPosts',
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
    const kind = onceAtATime[step.do] ?? step.do;
    if (clashing.has(kind)) return false;
    if (step.do === 'renameTag' && steps.some(namesTags)) return false;
    if (step.do in onceAtATime) clashing.add(kind);
    return true;
  });
}

/** Deeds with the same word here are never done at the same time. */
const onceAtATime: Partial<Record<Step['do'], string>> = {
  addTag: 'tag',
  renameTag: 'tag',
  deleteTag: 'tag',
  changePassword: 'password',
  signIn: 'password',
};

const namesTags = (step: Step) => 'tags' in step || step.do === 'decideMany';

/** A deed of one kind that does something, or of another kind if there is none. */
function deedOf(kind: Deed['do'], world: World, random: Random, at: number): Deed {
  for (let tries = 0; tries < 2_000; tries += 1) {
    const deed = chosenMaker(random)(world, random);
    if (deed?.do === kind && doesSomething(world, { at, ...deed })) return deed;
  }
  return nextDeed(world, random, at);
}
