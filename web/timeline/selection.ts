import { tagsPerFilter } from '../../contract/constants.ts';
import { routes } from '../app/routes.ts';

/** Longer than any tag: a longer text in an address names none. */
export const longestName = 200;

/**
 * The tags that an address selects, `/?tags=a,b` (decision 16). A comma or a percent sign inside a name
 * is escaped twice.
 */
export function tagsOfAddress(search: URLSearchParams): string[] {
  const names = (search.get('tags') ?? '')
    .split(',')
    .map(name => name.replaceAll('%2C', ',').replaceAll('%25', '%').trim())
    .filter(name => name !== '' && name.length <= longestName);
  return [...new Set(names)].slice(0, tagsPerFilter);
}

/** The address of the timeline for a selection, so that links to it, back and forward show the same posts. */
export function addressOfTags(tags: readonly string[]): string {
  if (tags.length === 0) return routes.timeline.href();
  const names = tags.map(tag => encodeURIComponent(tag.replaceAll('%', '%25').replaceAll(',', '%2C')));
  return routes.timeline.href(`?tags=${names.join(',')}`);
}

/** The page at which a reader without scripts continues, from 1. */
export function pageOfAddress(search: URLSearchParams): number {
  const page = Number(search.get('page') ?? 1);
  return Number.isInteger(page) && page >= 1 && page <= 1_000_000 ? page : 1;
}

export function toggled(tags: readonly string[], tag: string): string[] {
  return tags.includes(tag) ? tags.filter(other => other !== tag) : [...tags, tag];
}
