import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { operationQuery, useCall } from '../app/queries.tsx';
import { routes } from '../app/routes.ts';
import { useToast } from '../app/toasts.tsx';
import { copyLink } from '../post/share.tsx';
import { audienceText } from './readers/audience.tsx';
import type { tagsOf } from './unsaved/draft-tags.ts';
import type { Base } from './unsaved/editor-state.ts';

type Tags = ReturnType<typeof tagsOf>;

/**
 * The message after a post was saved: where it is now, how to share it, and who can read it, if its tags are
 * given.
 */
export function savedToast(postId: string, isDraft: boolean, replaced: Base, tags?: Tags) {
  const wasPublished = (replaced?.publishedOn ?? '') !== '';
  const path = routes.post.href({ postId });
  return {
    text: isDraft ? 'Saved as a draft.' : wasPublished ? 'Saved.' : 'Published.',
    actions: (
      <>
        {!isDraft && tags !== undefined && <Readers tags={tags} />}
        <Link className="quiet" to={path}>
          View it
        </Link>
        {!isDraft && <CopyLink path={path} />}
      </>
    ),
  };
}

/** The editor has just asked for the same. */
function Readers({ tags }: { tags: Tags }) {
  const { data } = useQuery(operationQuery(useCall(), 'describeAudience', tags));
  return data === undefined ? null : <p>Who can read it: {inSentence(audienceText(data))}</p>;
}

const inSentence = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);

function CopyLink({ path }: { path: string }) {
  const toast = useToast();
  const copy = () => copyLink(new URL(path, window.location.href).href, toast);
  return (
    <button type="button" className="quiet" onClick={() => void copy()}>
      Copy link
    </button>
  );
}
