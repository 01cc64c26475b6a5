import { author, type Maker, tags } from './choices.ts';
import { existing, type World } from './model/world.ts';
import type { Random } from './random.ts';
import type { Deed, Step } from './steps.ts';

/** Decisions of admins about accounts; sometimes somebody who is no admin tries one. */
export const decisionMakers: readonly [weight: number, make: Maker][] = [
  [4, decision((who, random) => ({ do: 'approve', who, ...(random.chance(0.8) && { tags: tags(random) }) }))],
  [2, decision(who => ({ do: 'deny', who }))],
  [1.5, decision(who => ({ do: 'undo', who }))],
  [1.5, decideMany],
  [
    4,
    decision((who, random) => ({
      do: 'allowTags',
      who,
      tags: tags(random),
      ...(random.chance(0.4) && { tells: true }),
    })),
  ],
  [1, decision((who, random) => ({ do: 'setAdmin', who, isAdmin: random.chance(0.5) }))],
  [0.5, decision(who => ({ do: 'removeFace', who }))],
  [0.7, decision((who, random) => ({ do: 'mute', who, isMuted: random.chance(0.6) }))],
  [2.5, decision((who, random) => ({ do: 'setAuthor', who, isAuthor: random.chance(0.7) }))],
];

/** A decision about an account, seldom about the first admin's own: a site without an admin shows little. */
function decision(make: (who: string, random: Random) => { do: string; who: string }): Maker {
  return (world, random) => {
    const account = random.pickAgain(Object.values(world.accounts));
    if (account === undefined || (account.name === 'u0' && random.chance(0.9))) return undefined;
    return { ...make(account.name, random), by: author(world, random) } as Deed;
  };
}

/** Two decisions about one account at the same moment, by two admins or by one. */
export function decisionsAtOnce(world: World, random: Random, at: number): Step[] {
  const account = random.pick(existing(world.accounts).filter(({ name }) => name !== 'u0'));
  if (account === undefined) return [];
  const admins = random.shuffled(existing(world.accounts).filter(({ isAdmin }) => isAdmin));
  const two = [...admins, ...admins].slice(0, 2);
  return two.map(({ name }, index) => ({
    at: at + (index + 1) / 10,
    ...aboutOne(account.name, name, random),
  }));
}

/** One of the decisions that an admin may make about an account. */
function aboutOne(who: string, by: string, random: Random): Deed {
  const all: Deed[] = [
    { do: 'approve', by, who, tags: tags(random) },
    { do: 'deny', by, who },
    { do: 'undo', by, who },
    { do: 'allowTags', by, who, tags: tags(random) },
    { do: 'setAuthor', by, who, isAuthor: random.chance(0.7) },
    { do: 'setAdmin', by, who, isAdmin: random.chance(0.5) },
  ];
  return random.pick(all) ?? { do: 'deny', by, who };
}

function decideMany(world: World, random: Random): Deed {
  const some = random.some(existing(world.accounts).slice(1), 0.4);
  const first = some.length > 0 ? some : existing(world.accounts).slice(0, 1);
  const decisions = first.map(({ name }) => ({
    who: name,
    isApproval: random.chance(0.6),
    tags: tags(random),
  }));
  return { do: 'decideMany', by: author(world, random), decisions };
}
