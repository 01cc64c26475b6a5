import { useState } from 'react';
import { audienceText, useAudience } from './audience.tsx';
import { Preview, type PreviewProps } from './preview.tsx';

const viewers = { self: 'You', member: 'A member', visitor: 'A visitor' } as const;
type ViewerKind = keyof typeof viewers;

/** The whole page as one kind of reader would see it, or the text that they would get instead. */
export function ViewAs({ draft, publishedOn }: PreviewProps) {
  const [viewer, setViewer] = useState<ViewerKind>('self');
  const { data: audience, error, isFetching } = useAudience(draft);
  // Until the server has answered, nothing is claimed about others.
  const isHidden =
    viewer !== 'self' &&
    (audience === undefined || (!audience.isPublic && (viewer === 'visitor' || audience.memberCount === 0)));
  return (
    <>
      <fieldset className="segments">
        <legend>View as</legend>
        {(Object.keys(viewers) as ViewerKind[]).map(kind => (
          <label key={kind}>
            <input type="radio" name="view-as" checked={viewer === kind} onChange={() => setViewer(kind)} />
            {viewers[kind]}
          </label>
        ))}
      </fieldset>
      <p className="status" role="status">
        {viewer === 'self' && <span>The page as it will look when published.</span>}
        {viewer !== 'self' && audience !== undefined && <span>{readersText(viewer, audience)}</span>}
        {viewer !== 'self' && audience === undefined && (
          <span>
            {error === null
              ? isFetching && 'Loading...'
              : `Failed to load who can read this. ${error.message}`}
          </span>
        )}
      </p>
      {isHidden ? null : <Preview draft={draft} publishedOn={publishedOn} />}
    </>
  );
}

function readersText(
  viewer: 'visitor' | 'member',
  audience: NonNullable<ReturnType<typeof useAudience>['data']>,
): string {
  const { isPublic, memberCount } = audience;
  if (viewer === 'visitor') {
    return isPublic
      ? 'Visitors can read this and see how many comments there are. They have to log in to like or comment.'
      : 'Visitors can’t see this post. Its link takes them to the login page.';
  }
  if (isPublic) return 'All members can read, like and comment on this.';
  return memberCount === 0
    ? 'No member can read this post yet. They are told that it is not shared with them.'
    : `Readers: ${audienceText(audience)} They can like and comment. Other members are told that it is not shared with them.`;
}
