import { type ComponentType, lazy, Suspense, useState } from 'react';
import { LoadFailed } from '../ui/load-failed.tsx';

type CommentsProps = { postId: string; count: number };
type View = ComponentType<CommentsProps & { onRetry(): void }>;

let loaded: View | undefined;

/**
 * Loads the script of the comments when they are first opened; the server loads it if the address opens them.
 */
export async function loadComments() {
  const { default: View, prepareComments } = await import('../comments/comments.tsx');
  loaded = View;
  return { default: View, prepareComments };
}

/** Made anew for each attempt, because a lazy component remembers its failure. */
const loading = (): View => lazy<View>(() => loadComments().catch(() => ({ default: CommentsFailed })));

/** Shown if the script cannot be loaded, so that the rest of the page stays readable. */
function CommentsFailed({ onRetry }: { onRetry(): void }) {
  return <LoadFailed text="Failed to load the comments." error={null} onRetry={onRetry} />;
}

export function Comments(props: CommentsProps) {
  const [View, setView] = useState(() => loaded ?? loading());
  return (
    <Suspense
      fallback={
        <p className="status" role="status">
          Loading comments...
        </p>
      }
    >
      <View {...props} onRetry={() => setView(loading)} />
    </Suspense>
  );
}
