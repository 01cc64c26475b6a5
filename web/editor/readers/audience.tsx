import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Output } from '../../../contract/operations.ts';
import { operationQuery, useCall } from '../../app/operations.tsx';
import { amount } from '../../ui/amount.ts';

type AudienceOf = Output<'describeAudience'>;
type Effect = Output<'previewPostTags'>;

const members = (count: number) => amount(count, 'member');

/** Who may read a post with these tags, as decided by the server. */
export function useAudience(tags: readonly string[]) {
  return useQuery({
    ...operationQuery(useCall(), 'describeAudience', { tags: [...tags] }),
    placeholderData: keepPreviousData,
  });
}

type AudienceProps = {
  tags: readonly string[];
  /** The published tags of a post, to show what a save would change; null for a draft. */
  publishedTags: readonly string[] | null;
};

/** "Who can read this", in words and numbers, while the tags change (decisions.md 6). */
export function Audience({ tags, publishedTags }: AudienceProps) {
  const audience = useAudience(tags);
  return (
    <section className="audience" aria-labelledby="audience-title">
      <h2 id="audience-title">Who can read this</h2>
      <div role="status">
        {audience.isError && <p>Could not load who can read this. {audience.error.message}</p>}
        {audience.data !== undefined && <p>{audienceText(audience.data)}</p>}
        {publishedTags !== null && <TagsEffect when="When saved" seenTags={publishedTags} tags={tags} />}
      </div>
    </section>
  );
}

export function audienceText({ isPublic, memberCount, memberTotal, restrictedBy }: AudienceOf): string {
  if (isPublic) return 'Everybody, including visitors.';
  const names = new Intl.ListFormat('en').format(restrictedBy.map(tag => `“${tag}”`));
  if (memberCount === 0) return `Only admins: none of ${members(memberTotal)} is approved for ${names}.`;
  return `${memberCount} of ${members(memberTotal)} approved for ${names}, and admins. Not visitors.`;
}

type TagsEffectProps = {
  /** The condition, such as ‘If you keep yours’. */
  when: string;
  /** The published tags. */
  seenTags: readonly string[];
  tags: readonly string[];
};

/** The effect of other tags on a published post, shown before it is saved; nothing if there is none. */
export function TagsEffect({ when, seenTags, tags }: TagsEffectProps) {
  const effect = useQuery({
    ...operationQuery(useCall(), 'previewPostTags', { tags: [...tags], seenTags: [...seenTags] }),
    // Members and default tags may have changed since.
    staleTime: 0,
    gcTime: 0,
    placeholderData: keepPreviousData,
  });
  if (effect.isError) return <p className="notice">Could not load the effect of this change.</p>;
  const text = effect.data === undefined ? '' : effectText(effect.data);
  return text === '' ? null : (
    <p className="notice">
      {when}, this post {text}.
    </p>
  );
}

/** What a change of tags does to a published post; empty when nothing changes. */
export function effectText({ wasPublic, isPublic, membersGained, membersLost }: Effect): string {
  if (isPublic) return wasPublic ? '' : 'becomes visible to visitors';
  if (wasPublic)
    return `is hidden from visitors${membersLost > 0 ? ` and from ${members(membersLost)}` : ''}`;
  // Both numbers, because as many members may gain it as lose it.
  return [
    ...(membersGained > 0 ? [`becomes visible to ${members(membersGained)} more`] : []),
    ...(membersLost > 0 ? [`is hidden from ${members(membersLost)}`] : []),
  ].join(' and ');
}
