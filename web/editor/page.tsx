import { queryOptions, useQuery } from '@tanstack/react-query';
import { type ComponentType, useEffect, useEffectEvent, useState } from 'react';
import { Link, Redirect } from 'wouter';
import { AppError } from '../../contract/errors.ts';
import type { Call } from '../../contract/operations.ts';
import { forWriters, WritersPage } from '../admin/layout.tsx';
import { useNavigate, useQueryString } from '../app/navigation.ts';
import { operationQuery, useCall } from '../app/queries.tsx';
import { RedirectTo } from '../app/redirect-to.ts';
import { routes } from '../app/routes.ts';
import type { ScreenModule, ScreenProps } from '../app/screen.ts';
import { useViewer } from '../app/site.tsx';
import '../styles/editor.css';
import '../styles/editor-text.css';
import '../styles/editor-files.css';
import '../styles/editor-settings.css';
import '../styles/editor-save.css';
import { LoadFailed } from '../ui/load-failed.tsx';
import { Notice } from '../ui/notice.tsx';
import { loadPost, type Post } from './unsaved/draft.ts';
import { copiesOfDeleted } from './unsaved/offered-copies.ts';
import type { EditorProps } from './use-editor.ts';

/**
 * Errors after which the editor says that the post does not exist: an author who may not read it is told the
 * same.
 */
const missing: readonly string[] = ['not-found', 'invalid-argument', 'permission-denied'];

/** The post when the editor opens: fetched each time, and never refreshed while the author writes. */
function editedPostQuery(call: Call, postId: string) {
  return queryOptions({
    queryKey: ['editedPost', postId],
    queryFn: async (): Promise<{ post: Post | null }> => {
      try {
        return { post: await loadPost(call, postId) };
      } catch (error) {
        const isMissing = error instanceof AppError && missing.includes(error.code);
        if (isMissing) return { post: null };
        throw error;
      }
    },
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    gcTime: 0,
  });
}

export const prepare: ScreenModule['prepare'] = forWriters(async ({ call, client, params, search }) => {
  if (params.postId === undefined) {
    const postId = search.get('draft');
    if (postId !== null) throw new RedirectTo(routes.editPost.href({ postId }));
    await client.fetchQuery(operationQuery(call, 'getNewPostTags', {}));
    return { title: 'New Post' };
  }
  const { post } = await client.fetchQuery({ ...editedPostQuery(call, params.postId), gcTime: 60_000 });
  if (post?.can.edit === false) throw new RedirectTo(routes.timeline.href());
  return post === null ? { status: 404, title: 'Post not found' } : { title: 'Edit Post' };
});

/** The editor, for a new post and for one that exists (specification section 2, "/admin/posts/new"). */
export default function EditorPage({ params: { postId } }: ScreenProps) {
  return postId === undefined ? (
    <WritersPage title="New Post">
      <New key="new" />
    </WritersPage>
  ) : (
    <WritersPage title="Edit Post">
      <Existing key={postId} postId={postId} />
    </WritersPage>
  );
}

/**
 * A new post, and the next one once that waits for a connection. One that was saved while it is written stays
 * here, with its undo history; the address then has its id (`draft`), and a reload opens it as a saved post.
 */
function New() {
  const navigate = useNavigate();
  const [count, setCount] = useState(0);
  const [made, setMade] = useState<string | null>(null);
  const inAddress = useQueryString().get('draft');
  // Kept, so that the next post can be begun without a connection.
  const tags = useQuery({
    ...operationQuery(useCall(), 'getNewPostTags', {}),
    gcTime: Number.POSITIVE_INFINITY,
  });
  const next = () => {
    setCount(before => before + 1);
    // The focused button is removed; waiting posts are listed above the next one.
    document.getElementById('main')?.focus({ preventScroll: true });
    window.scrollTo({ top: 0 });
  };
  const stay = (postId: string) => {
    setMade(postId);
    navigate(routes.newPost.href(`?draft=${postId}`), { replace: true });
  };
  const begin = useEffectEvent(() => {
    if (made === null) return;
    setMade(null);
    next();
  });
  // The link to a new post was pressed while this one is written.
  useEffect(() => {
    if (inAddress === null) begin();
  }, [inAddress]);
  if (inAddress !== null && inAddress !== made)
    return <Redirect to={routes.editPost.href({ postId: inAddress })} replace />;
  if (tags.isPending) return <Loading />;
  if (tags.isLoadingError)
    return <LoadFailed text="Failed to load the tags." error={tags.error} onRetry={tags.refetch} />;
  return <EditorLater key={count} post={null} begun={tags.data} onWaiting={next} onSaved={stay} />;
}

function Existing({ postId }: { postId: string }) {
  const query = useQuery(editedPostQuery(useCall(), postId));
  if (query.isPending) return <Loading />;
  // An open editor stays if fetching again fails.
  if (query.isLoadingError) {
    return (
      <LoadFailed text="Error fetching post. Please try again." error={query.error} onRetry={query.refetch} />
    );
  }
  if (query.data.post === null) return <Missing postId={postId} />;
  if (!query.data.post.can.edit) return <Redirect to={routes.timeline.href()} replace />;
  return <EditorLater post={query.data.post} />;
}

/**
 * Unsaved text of a post that was deleted is offered where new posts are written. Only the browser asks
 * whether it was deleted: the page is the same for a post that the author may not read.
 */
function Missing({ postId }: { postId: string }) {
  const call = useCall();
  const userId = useViewer().user?.id ?? '';
  const [hasText, setHasText] = useState(false);
  useEffect(() => {
    copiesOfDeleted(call, userId, postId).then(copies => setHasText(copies.length > 0));
  }, [call, userId, postId]);
  return (
    <>
      <p className="status">Post not found</p>
      {hasText && (
        <p className="status">
          This browser has unsaved text of it. <Link to={routes.newPost.href()}>Open it as a new post</Link>
        </p>
      )}
      <Link to={routes.posts.href()}>All posts</Link>
    </>
  );
}

/** Loads the editor with CodeMirror, only for those who write, and only in a browser. */
function EditorLater(props: EditorProps) {
  const [Editor, setEditor] = useState<ComponentType<EditorProps>>();
  const [failure, setFailure] = useState<string>();
  useEffect(() => {
    let isWanted = true;
    // Together with the dialog, because a save that fails for lack of a connection could not load it then.
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
  return Editor === undefined ? <Loading /> : <Editor {...props} />;
}

function Loading() {
  return (
    <>
      <p className="status scripted opening" role="status">
        Loading...
      </p>
      <noscript>
        <p className="status">Writing needs JavaScript.</p>
      </noscript>
    </>
  );
}
