import type { Person, Site } from './site.ts';

/** Asks what merging one tag into another would open, by their names. */
export const merging = (s: Site, admin: Person) => {
  const idOf = async (name: string) => {
    const { tags } = await s.call(admin, 'getManagedTags', {});
    return tags.find(tag => tag.name === name)?.id ?? '';
  };
  return async (from: string, into: string) => {
    const merge = { tagId: await idOf(from), intoId: await idOf(into) };
    return { merge, seen: await s.call(admin, 'previewTagMerge', merge) };
  };
};
