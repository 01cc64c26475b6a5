import type { GhostSite } from './tables.ts';

/** The names of the tags for Ghost's groups of readers (decision 32). */
export const members = 'members';
export const paidMembers = 'paid members';
const byMailOnly = 'sent by mail only';

type Post = ReadonlyMap<string, string>;

/**
 * Who could read a post there, as the names of tags that nobody has yet. There, one of several tiers was
 * enough to read a post, but here a reader needs every tag of a post, so each combination of tiers gets a
 * name of its own.
 */
export function audienceOf(post: Post, site: GhostSite): string[] {
  const audience: string[] = [];
  const visibility = post.get('visibility')?.trim() || 'public';
  if (visibility === 'members') audience.push(members);
  else if (visibility === 'paid') audience.push(paidMembers);
  else if (visibility !== 'public') audience.push(tierName(tiersFor(post, visibility, site)));
  if (post.get('status') === 'sent') audience.push(byMailOnly);
  if (audience.length === 0 && hasGatedPart(post)) audience.push(members);
  return audience;
}

/** The combinations of tiers of any post that include one of a member's tiers. */
export function combinationsWith(tiers: ReadonlySet<string>, site: GhostSite): string[] {
  const names = [...site.tiersOf.values()]
    .filter(ids => ids.some(id => tiers.has(site.tiers.get(id)?.name ?? '')))
    .map(ids => tierName(ids.map(id => site.tiers.get(id)?.name ?? '')));
  return [...new Set(names)];
}

/**
 * Names of tiers, from the post's rows or from the filter of older versions (`product:gold,product:silver`).
 */
function tiersFor(post: Post, visibility: string, site: GhostSite): string[] {
  const ids = site.tiersOf.get(post.get('id') ?? '') ?? [];
  if (ids.length > 0) return ids.map(id => site.tiers.get(id)?.name ?? '');
  const slugs = [...visibility.matchAll(/product:'?([\w-]+)/g)].map(([, slug]) => slug);
  return [...site.tiers.values()].filter(({ slug }) => slugs.includes(slug)).map(({ name }) => name);
}

const tierName = (names: readonly string[]) =>
  names.length === 0 ? 'unknown tier' : `tier ${[...new Set(names)].sort().join(' or ')}`;

/** Whether an open post has a part that only members saw. */
function hasGatedPart(post: Post): boolean {
  return (
    (post.get('html') ?? '').includes('kg-gated-block:begin') ||
    /"nonMember":\s*false/.test(post.get('lexical') ?? '')
  );
}
