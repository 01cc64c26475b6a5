import { queryOptions, useQuery } from '@tanstack/react-query';
import { type ComponentType, useEffect, useState } from 'react';
import { Link } from 'wouter';
import { AppError } from '../../contract/errors.ts';
import type { Call } from '../../contract/operations.ts';
import { AdminPage, forAdmins } from '../admin/layout.tsx';
import { useCall } from '../app/operations.tsx';
import { routes } from '../app/routes.ts';
import type { ScreenModule, ScreenProps } from '../app/screen.ts';
import '../styles/editor.css';
import '../styles/editor-files.css';
import '../styles/editor-settings.css';
import { LoadFailed } from '../ui/load-failed.tsx';
import { Notice } from '../ui/notice.tsx';
import type { EditorProps } from './editor.tsx';
import { loadPost, type Post } from './unsaved/draft.ts';

/** The post as it stands when the editor opens: asked anew each time, and never refreshed under the author's hands. */
function editedPostQuery(call: Call, postId: string) {
  return queryOptions({
    queryKey: ['editedPost', postId],
    queryFn: async (): Promise<{ post: Post | null }> => {
      try {
        return { post: await loadPost(call, postId) };
      } catch (error) {
        const isMissing = error instanceof AppError && ['not-found', 'invalid-argument'].includes(error.code);
        if (isMissing) return { post: null };
        throw error;
      }
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
}

export const prepare: ScreenModule['prepare'] = forAdmins(async ({ call, client, params }) => {
  if (params.postId === undefined) return { title: 'New Post' };
  const { post } = await client.fetchQuery({ ...editedPostQuery(call, params.postId), gcTime: 60_000 });
  return post === null ? { status: 404, title: 'Post not found' } : { title: 'Edit Post' };
});

/** The editor, for a new post and for one that exists (specification section 2, "/admin/posts/new"). */
export default function EditorPage({ params: { postId } }: ScreenProps) {
  return postId === undefined ? (
    <AdminPage title="New Post">
      <EditorLater key="new" post={null} />
    </AdminPage>
  ) : (
    <AdminPage title="Edit Post">
      <Existing key={postId} postId={postId} />
    </AdminPage>
  );
}

function Existing({ postId }: { postId: string }) {
  const query = useQuery(editedPostQuery(useCall(), postId));
  if (query.isPending) return <Loading />;
  // An editor that stands stays, whatever comes of asking again.
  if (query.isLoadingError) {
    return <LoadFailed text="Error fetching post. Please try again." onRetry={query.refetch} />;
  }
  if (query.data.post === null) {
    return (
      <>
        <p className="status">Post not found</p>
        <Link to={routes.posts.href()}>All posts</Link>
      </>
    );
  }
  return <EditorLater post={query.data.post} />;
}

/** CodeMirror and what else an editor needs are loaded by those who write, and only in a browser. */
function EditorLater({ post }: EditorProps) {
  const [Editor, setEditor] = useState<ComponentType<EditorProps>>();
  const [failure, setFailure] = useState<string>();
  useEffect(() => {
    let isWanted = true;
    // With the dialog: a save that fails for want of a connection could not load what says so.
    Promise.all([import('./editor.tsx'), import('../ui/dialog-question.tsx')]).then(
      ([module]) => isWanted && setEditor(() => module.Editor),
      (error: unknown) => isWanted && setFailure(String(error)),
    );
    return () => {
      isWanted = false;
    };
  }, []);
  if (failure !== undefined) {
    return <Notice text="Failed to load the editor. Please reload the page." />;
  }
  return Editor === undefined ? <Loading /> : <Editor post={post} />;
}

function Loading() {
  return (
    <>
      <p className="status scripted" role="status">
        Loading...
      </p>
      <noscript>
        <p className="status">Writing needs JavaScript.</p>
      </noscript>
    </>
  );
}
