import { useState } from 'react';
import { audienceText, useAudience } from './audience.tsx';
import { Preview, type PreviewProps } from './preview.tsx';

const viewers = { self: 'You', member: 'A member', visitor: 'A visitor' } as const;
type ViewerKind = keyof typeof viewers;

/** The whole page as one kind of reader would see it, or what they would be told instead. */
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
        {viewer === 'visitor' &&
          audience !== undefined &&
          (audience.isPublic
            ? 'Visitors can read this and see how many comments there are. They have to log in to like or comment.'
            : 'Visitors can’t see this post. Its link takes them to the login page.')}
        {viewer === 'member' &&
          audience !== undefined &&
          (audience.isPublic
            ? 'All members can read, like and comment on this.'
            : audience.memberCount === 0
              ? 'No member can read this post yet. They are told that it is not shared with them.'
              : `Readers: ${audienceText(audience)} They can like and comment. Other members are told that it is not shared with them.`)}
        {viewer === 'self' && 'The page as it will look when published.'}
        {viewer !== 'self' &&
          audience === undefined &&
          (error === null
            ? isFetching && 'Loading...'
            : `Failed to load who can read this. ${error.message}`)}
      </p>
      {isHidden ? null : <Preview draft={draft} publishedOn={publishedOn} />}
    </>
  );
}
