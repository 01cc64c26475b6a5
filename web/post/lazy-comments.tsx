import { type ComponentType, lazy, Suspense, useState } from 'react';
import { Notice } from '../ui/notice.tsx';

type CommentsProps = { postId: string; count: number };

let loaded: ComponentType<CommentsProps> | undefined;

/**
 * Loads the script of the comments when they are first opened; the server loads it if the address opens them.
 */
export async function loadComments() {
  const { default: View, prepareComments } = await import('../comments/comments.tsx');
  loaded = View;
  return { default: View, prepareComments };
}

const LazyComments = lazy(() => loadComments().catch(() => ({ default: CommentsFailed })));

/** Shown if the script cannot be loaded, so that the rest of the page stays readable. */
function CommentsFailed(_: CommentsProps) {
  return <Notice text="Failed to load the comments. Please reload the page." />;
}

export function Comments(props: CommentsProps) {
  const [View] = useState<ComponentType<CommentsProps>>(() => loaded ?? LazyComments);
  return (
    <Suspense
      fallback={
        <p className="status" role="status">
          Loading comments...
        </p>
      }
    >
      <View {...props} />
    </Suspense>
  );
}
