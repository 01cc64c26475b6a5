import { anybody, author, type Maker, reader, tags } from './choices.ts';
import { openProposals } from './model/proposal-acts.ts';
import type { World } from './model/world.ts';
import type { Random } from './random.ts';
import type { Deed } from './steps.ts';

/** What members and admins do about people whom members propose. */
export const proposalMakers: readonly [weight: number, make: Maker][] = [
  [1.2, propose],
  [
    0.3,
    ofWaiting(({ who, email }, world, random) => ({
      do: 'withdrawProposal',
      by: random.chance(0.8) ? who : anybody(world, random),
      email,
    })),
  ],
  [
    0.4,
    ofWaiting((named, world, random) => ({ do: 'declineProposal', by: author(world, random), ...named })),
  ],
  [
    1,
    ofWaiting((named, world, random) => ({
      do: 'acceptProposal',
      by: author(world, random),
      ...named,
      tags: tags(random, 0.3),
    })),
  ],
];

function propose(world: World, random: Random): Deed {
  const known = random.chance(0.4) ? random.pick(openProposals(world)) : undefined;
  return { do: 'proposePerson', by: reader(world, random), ...(known && { email: known.email }) };
}

type Named = { who: string; email: string };

function ofWaiting(make: (named: Named, world: World, random: Random) => Deed): Maker {
  return (world, random) => {
    const named = random.pick(openProposals(world));
    return named && make(named, world, random);
  };
}
