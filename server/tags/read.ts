import { type Kysely, sql } from 'kysely';
import { AppError } from '../../contract/errors.ts';
import type { ManagedTag, Tag } from '../../contract/tags.ts';
import { inAlphabeticalOrder } from '../../contract/text.ts';
import { loadTagCatalogue, type TagCatalogue, type TagSet } from '../access/audience.ts';
import { countHolders } from '../access/user-counts.ts';
import type { Viewer } from '../access/viewer.ts';
import { dialectOf } from '../db/dialect.ts';
import type { Tables } from '../db/tables.ts';

/**
 * The listed tags by name, with the number of posts that the viewer may read. Viewers other than admins see
 * only tags of such posts, so that neither names nor numbers reveal other posts (decision 3).
 */
export function listTags(catalogue: TagCatalogue, viewer: Viewer): Tag[] {
  const counts = countByTag(catalogue.readableSets(viewer), set => set.publishedCount);
  return [...catalogue.tags.values()]
    .filter(tag => tag.isListed)
    .map(tag => ({ id: tag.id, name: tag.name, postCount: counts.get(tag.id) ?? 0 }))
    .filter(
      tag =>
        viewer.role === 'admin' ||
        tag.postCount > 0 ||
        // Authors may use these tags, even if no post carries them yet.
        (viewer.role === 'author' && viewer.tagIds.has(tag.id)),
    )
    .sort((a, b) => inAlphabeticalOrder(a.name, b.name));
}

/** The listed tags by name, with the numbers of their posts, drafts and members. For admins. */
export async function listManagedTags(db: Kysely<Tables>): Promise<ManagedTag[]> {
  const [catalogue, drafts, holders] = await Promise.all([
    loadTagCatalogue(db),
    draftsBySet(db).execute(),
    countHolders(db),
  ]);
  const draftsIn = new Map(drafts.map(row => [row.tag_set_id, row.count]));
  const published = countByTag(catalogue.sets, set => set.publishedCount);
  const unpublished = countByTag(catalogue.sets, set => draftsIn.get(set.id) ?? 0);
  return [...catalogue.tags.values()]
    .filter(tag => tag.isListed)
    .map(({ id, name }) => ({
      id,
      name,
      publishedCount: published.get(id) ?? 0,
      draftCount: unpublished.get(id) ?? 0,
      userCount: holders.get(id) ?? 0,
      isDefault: catalogue.defaultTagIds.has(id),
    }))
    .sort((a, b) => inAlphabeticalOrder(a.name, b.name));
}

/** One listed tag as admins see it. Throws not-found. */
export async function getManagedTag(db: Kysely<Tables>, id: string): Promise<ManagedTag> {
  const tag = (await listManagedTags(db)).find(candidate => candidate.id === id);
  if (tag === undefined) throw new AppError('not-found', 'Tag not found.');
  return tag;
}

/** The number of posts by tag id, where `countIn` returns that of a combination. */
function countByTag(sets: readonly TagSet[], countIn: (set: TagSet) => number): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const set of sets) {
    for (const id of set.tagIds) counts.set(id, (counts.get(id) ?? 0) + countIn(set));
  }
  return counts;
}

/** The number of drafts by their combination of tags. */
export function draftsBySet(db: Kysely<Tables>) {
  return db
    .selectFrom('posts')
    .select(['tag_set_id', ({ fn }) => fn.countAll<number>().as('count')])
    .where('published_at', 'is', null)
    .groupBy(dialectOf(db).unindexed(sql.ref('tag_set_id')));
}
