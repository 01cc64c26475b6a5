import type { Kysely } from 'kysely';
import type { Tables } from '../../server/db/tables.ts';
import { ensureTagSet, ensureTags } from '../../server/tags/write.ts';
import type { Random } from './random.ts';

const words =
  'notes code bread rivers trains music books garden photos friends family travel letters tools weather maps night harbour kitchen workshop walks birds bicycles clocks dreams videos fonts islands languages lakes mountains neighbours paper poems radio recipes school snow stars summer tea theatre trees winter'.split(
    ' ',
  );

/** How many of the tags everyone may read. */
const defaultTags = 10;
const combinations = 400;
/** Of ten posts, how many have no tag, and how many only default tags. */
const untaggedShare = 0.25;
const openShare = 0.25;

type Combination = { id: number; tagIds: ReadonlySet<string> };

/** The tags of a seeded site and the combinations in which its posts carry them. */
export type SeededTags = {
  ids: readonly string[];
  defaultIds: ReadonlySet<string>;
  /** A combination for one post: everybody may read half of the posts. */
  pick(random: Random): Combination;
};

export async function seedTags(db: Kysely<Tables>, random: Random, count: number): Promise<SeededTags> {
  const names = Array.from({ length: count }, (_, index) => {
    const word = words[index % words.length] ?? 'tag';
    return index < words.length ? word : `${word} ${Math.floor(index / words.length) + 1}`;
  });
  return await db.transaction().execute(async trx => {
    const ids: string[] = [];
    for (const name of names) ids.push(...(await ensureTags(trx, [name])));
    const defaults = ids.slice(0, defaultTags);
    if (defaults.length > 0) {
      await trx
        .insertInto('default_tags')
        .values(defaults.map(tag_id => ({ tag_id })))
        .onConflict(conflict => conflict.column('tag_id').doNothing())
        .execute();
    }
    const sets = new Map<string, Combination>();
    const add = async (tagIds: readonly string[]) => {
      const set = { id: await ensureTagSet(trx, tagIds), tagIds: new Set(tagIds) };
      sets.set(String(set.id), set);
      return set;
    };
    const untagged = await add([]);
    const open: Combination[] = [];
    const closed: Combination[] = [];
    // At most three vain draws for each: a site with few tags has few combinations.
    for (let draw = 0; draw < 3 * combinations && open.length + closed.length < combinations; draw += 1) {
      const isOpen = draw % 6 === 0;
      const tagIds = some(random, isOpen ? defaults : ids, random.between(1, isOpen ? 3 : 4));
      if (tagIds.length === 0) continue;
      const before = sets.size;
      const set = await add(tagIds);
      if (sets.size > before) (tagIds.every(id => defaults.includes(id)) ? open : closed).push(set);
    }
    const one = (from: readonly Combination[], source: Random) =>
      from[source.skewed(from.length)] ?? untagged;
    return {
      ids,
      defaultIds: new Set(defaults),
      pick: source => {
        const share = source.next();
        if (share < untaggedShare) return untagged;
        return one(share < untaggedShare + openShare ? open : closed, source);
      },
    };
  });
}

/** Up to `count` different items, the first likelier than the last. */
export function some(random: Random, from: readonly string[], count: number): string[] {
  const chosen = new Set<string>();
  for (let draw = 0; draw < 4 * count && chosen.size < Math.min(count, from.length); draw += 1) {
    const item = from[random.skewed(from.length)];
    if (item !== undefined) chosen.add(item);
  }
  return [...chosen];
}
