import type { Tag } from '../../contract/tags.ts';
import type { TagCatalogue } from '../access/audience.ts';
import type { Viewer } from '../access/viewer.ts';

/**
 * The listed tags by name, with the number of posts that the viewer may read. Others than admins see only tags of such
 * posts, so that neither a name nor a number tells of the rest (decisions.md 3).
 */
export function listTags(catalogue: TagCatalogue, viewer: Viewer): Tag[] {
  const counts = new Map<string, number>();
  for (const set of catalogue.readableSets(viewer)) {
    for (const id of set.tagIds) counts.set(id, (counts.get(id) ?? 0) + set.publishedCount);
  }
  return [...catalogue.tags.values()]
    .filter(tag => tag.isListed)
    .map(tag => ({ id: tag.id, name: tag.name, postCount: counts.get(tag.id) ?? 0 }))
    .filter(tag => viewer.role === 'admin' || tag.postCount > 0)
    .sort((a, b) => a.name.localeCompare(b.name, 'en'));
}
