import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Output } from '../../contract/operations.ts';
import { operationQuery, useCall } from '../app/operations.tsx';

type AudienceOf = Output<'describeAudience'>;

/** Who may read a post with these tags, as the server's one rule says. */
export function useAudience(tags: readonly string[]) {
  return useQuery({
    ...operationQuery(useCall(), 'describeAudience', { tags: [...tags] }),
    placeholderData: keepPreviousData,
  });
}

type AudienceProps = {
  tags: readonly string[];
  /** The tags that readers know, for a published post: what a save would change is told before it is done. */
  publishedTags: readonly string[] | null;
};

/** "Who can read this", in words and numbers, while the tags change (decisions.md 6). */
export function Audience({ tags, publishedTags }: AudienceProps) {
  const after = useAudience(tags);
  const before = useAudience(publishedTags ?? tags);
  return (
    <section className="audience" aria-labelledby="audience-title">
      <h2 id="audience-title">Who can read this</h2>
      <div role="status">
        {after.isError && <p>Who can read this could not be found out. {after.error.message}</p>}
        {after.data !== undefined && <p>{audienceText(after.data)}</p>}
        {publishedTags !== null && after.data !== undefined && before.data !== undefined && (
          <Effect before={before.data} after={after.data} />
        )}
      </div>
    </section>
  );
}

export function audienceText({ isPublic, memberCount, memberTotal, restrictedBy }: AudienceOf): string {
  if (isPublic) return 'Everybody: visitors, too.';
  const names = new Intl.ListFormat('en').format(restrictedBy.map(tag => `“${tag}”`));
  const members = memberTotal === 1 ? '1 member' : `${memberTotal} members`;
  if (memberCount === 0) return `Only admins: none of ${members} is approved for ${names}.`;
  const may = memberCount === 1 ? 'is' : 'are';
  return `${memberCount} of ${members}, who ${may} approved for ${names}, and admins. Not visitors.`;
}

function Effect({ before, after }: { before: AudienceOf; after: AudienceOf }) {
  const text = effectText(before, after);
  return text === '' ? null : <p className="notice">When saved, this post {text}.</p>;
}

/** What a change of tags does to a published post; empty when nothing changes. */
export function effectText(before: AudienceOf, after: AudienceOf): string {
  if (after.isPublic && !before.isPublic) return 'becomes visible to visitors';
  if (!after.isPublic && before.isPublic) {
    const lost = after.memberTotal - after.memberCount;
    return `is hidden from visitors and from ${lost === 1 ? '1 member' : `${lost} members`}`;
  }
  if (after.isPublic) return '';
  const difference = after.memberCount - before.memberCount;
  if (difference === 0) return '';
  const members = Math.abs(difference) === 1 ? '1 member' : `${Math.abs(difference)} members`;
  return difference > 0 ? `becomes visible to ${members} more` : `is hidden from ${members}`;
}
