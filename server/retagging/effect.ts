import type { AudienceEffect } from '../../contract/retagging.ts';
import { mayRead, readersAmong, type TagCatalogue } from '../access/audience.ts';
import { holdersAmong } from '../access/effects.ts';
import type { MemberGroup } from '../access/user-counts.ts';
import { visitor } from '../access/viewer.ts';

/** Published posts of one combination of tags, and the tags that they would have instead. */
export type Change = { before: readonly string[]; after: readonly string[]; posts: number };

/** A tag whose holders would also hold another one. */
type Grant = { tagId: string; intoId: string };

/** Who would read more and less by these changes of tags. */
export async function effectOn(
  { defaultTagIds }: TagCatalogue,
  groups: readonly MemberGroup[],
  changes: readonly Change[],
  grant?: Grant,
): Promise<AudienceEffect> {
  const isOpen = (tagIds: readonly string[]) =>
    mayRead(visitor(defaultTagIds), { isPublished: true, tagIds });
  const named = changes.flatMap(({ before, after }) => [...before, ...after]);
  const holders = await holdersAmong(groups, [
    ...new Set([...named, ...(grant === undefined ? [] : [grant.tagId, grant.intoId])]),
  ]);
  const everybody = (1n << BigInt(groups.length)) - 1n;
  const readers = (tagIds: readonly string[], held: ReadonlyMap<string, bigint>) =>
    isOpen(tagIds) ? everybody : readersAmong(held, tagIds, defaultTagIds);
  const holdersAfter = withGrant(holders, grant);
  const effects = changes.map(({ before, after, posts }) => {
    const [then, now] = [readers(before, holders), readers(after, holdersAfter)];
    const [wasOpen, opens] = [isOpen(before), isOpen(after)];
    return { posts, wasOpen, isOpen: opens, gaining: opens ? 0n : now & ~then, losing: then & ~now };
  });
  const gaining = effects.reduce((all, effect) => all | effect.gaining, 0n);
  const losing = effects.reduce((all, effect) => all | effect.losing, 0n);
  const count = (isCounted: (effect: (typeof effects)[number]) => boolean) =>
    effects.filter(isCounted).reduce((sum, { posts }) => sum + posts, 0);
  return {
    visitors: {
      gained: count(({ wasOpen, isOpen }) => isOpen && !wasOpen),
      lost: count(({ wasOpen, isOpen }) => wasOpen && !isOpen),
    },
    members: {
      gained: count(effect => effect.gaining !== 0n),
      gaining: countMembers(groups, gaining),
      lost: count(effect => effect.losing !== 0n),
      losing: countMembers(groups, losing),
    },
  };
}

function withGrant(holders: ReadonlyMap<string, bigint>, grant?: Grant): ReadonlyMap<string, bigint> {
  if (grant === undefined) return holders;
  const either = (holders.get(grant.intoId) ?? 0n) | (holders.get(grant.tagId) ?? 0n);
  return new Map(holders).set(grant.intoId, either);
}

function countMembers(groups: readonly MemberGroup[], bits: bigint): number {
  const places = [...bits.toString(2)].reverse();
  return groups.reduce((sum, { members }, place) => sum + (places[place] === '1' ? members : 0), 0);
}
