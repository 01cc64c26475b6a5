import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { tagsPerPost } from '../../../contract/constants.ts';
import type { Output } from '../../../contract/operations.ts';
import { operationQuery, useCall } from '../../app/queries.tsx';
import { amount } from '../../ui/amount.ts';
import { type Draft, isInTimeline } from '../unsaved/draft.ts';
import { tagsOf } from '../unsaved/draft-tags.ts';
import { ReaderNames } from './reader-names.tsx';

type AudienceOf = Output<'describeAudience'>;
type Effect = Output<'previewPostTags'>;

const members = (count: number) => amount(count, 'member');

/** The query about the tags of a draft: none while there are too many. */
function askingAbout({ tags }: Draft) {
  return tags.length > tagsPerPost ? { enabled: false } : { placeholderData: keepPreviousData };
}

/** Who may read a post with the tags of a draft, decided by the server; no data while there are too many. */
export function useAudience(draft: Draft) {
  return useQuery({
    ...operationQuery(useCall(), 'describeAudience', tagsOf(draft)),
    ...askingAbout(draft),
  });
}

type AudienceProps = {
  draft: Draft;
  /** The published post, to show what a save would change; null if it is not published. */
  published: Draft | null;
};

/** "Who can read this", in words and numbers, while the tags change (decision 6). */
export function Audience({ draft, published }: AudienceProps) {
  const audience = useAudience(draft);
  return (
    <section className="audience" aria-labelledby="audience-title">
      <h2 id="audience-title">Who can read this</h2>
      <div role="status">
        {audience.isError && <p>Failed to load who can read this. {audience.error.message}</p>}
        {audience.data !== undefined && <p>{audienceText(audience.data)}</p>}
        {published !== null && <TagsEffect when="When saved" before={published} after={draft} />}
      </div>
      {audience.data !== undefined && !audience.data.isPublic && audience.data.memberCount > 0 && (
        <ReaderNames draft={draft} />
      )}
      {published !== null && isInTimeline(draft) && <TellNewReaders before={published} after={draft} />}
    </section>
  );
}

export function audienceText({ isPublic, memberCount, memberTotal, restrictedBy }: AudienceOf): string {
  if (isPublic) return 'Everybody, including visitors.';
  const names = new Intl.ListFormat('en').format(restrictedBy.map(tag => `“${tag}”`));
  if (memberTotal === 0) return `Only admins, until a member is approved for ${names}.`;
  if (memberCount === 0) return `Only admins: none of ${members(memberTotal)} is approved for ${names}.`;
  return `${memberCount} of ${members(memberTotal)} approved for ${names}, and admins. Not visitors.`;
}

type TagsEffectProps = {
  /** The condition, such as ‘If you keep yours’. */
  when: string;
  /** The published post. */
  before: Draft;
  after: Draft;
};

/** The effect of other tags on a published post. */
function useTagsEffect({ before, after }: Pick<TagsEffectProps, 'before' | 'after'>) {
  const { tags: seenTags, tagIds: seenTagIds } = tagsOf(before);
  return useQuery({
    ...operationQuery(useCall(), 'previewPostTags', { ...tagsOf(after), seenTags, seenTagIds }),
    // Members and default tags may have changed since.
    staleTime: 0,
    gcTime: 0,
    ...askingAbout(after),
  });
}

/** The effect of other tags on a published post, shown before it is saved; nothing if there is none. */
export function TagsEffect({ when, before, after }: TagsEffectProps) {
  const effect = useTagsEffect({ before, after });
  if (effect.isError) return <p className="notice">Failed to load the effect of this change.</p>;
  const text = effect.data === undefined ? '' : effectText(effect.data);
  return text === '' ? null : (
    <p className="notice">
      {when}, this post {text}.
    </p>
  );
}

/** Offers to mail a post to subscribers who can newly read it; only if its author wants that. */
function TellNewReaders(props: Pick<TagsEffectProps, 'before' | 'after'>) {
  const effect = useTagsEffect(props).data;
  const isOpened =
    effect !== undefined && (effect.membersGained > 0 || (effect.isPublic && !effect.wasPublic));
  if (!isOpened) return null;
  return (
    <label className="choice">
      <input type="checkbox" name={tellsNewReaders} />
      Email subscribers who have not been told of it
    </label>
  );
}

/** The name of the choice in the form of the editor. */
export const tellsNewReaders = 'tellsNewReaders';

/** The effect of changed tags on a published post in words; empty for none. */
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
