import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useId, useRef, useState } from 'react';
import { Link } from 'react-router';
import { operationQuery, useCall } from '../app/operations.tsx';
import { useViewer } from '../app/site.tsx';
import { commentLoginPath, loginText, unapprovedText } from './access.ts';
import { CommentForm } from './comment-form.tsx';
import { CommentItem } from './comment-item.tsx';
import { followPost } from './live.ts';
import { changeComments, commentsQuery } from './query.ts';

/** The comments of a post, newest first and live, with the box to write one (specification sections 2 and 4). */
export default function Comments({ postId, count }: { postId: string; count: number }) {
  const { user, can } = useViewer();
  if (can.comment) return <CommentList postId={postId} count={count} />;
  return (
    <Frame count={count}>
      {user === null ? (
        <p className="status">
          {loginText} <Link to={commentLoginPath(postId)}>Log In</Link>
        </p>
      ) : (
        <p className="status">{unapprovedText}</p>
      )}
    </Frame>
  );
}

function Frame({
  count,
  headingRef,
  children,
}: {
  count: number;
  headingRef?: React.Ref<HTMLHeadingElement>;
  children: React.ReactNode;
}) {
  const id = useId();
  return (
    <section className="comments" aria-labelledby={id}>
      <h2 id={id} ref={headingRef} tabIndex={-1}>
        {count === 1 ? '1 comment' : `${count} comments`}
      </h2>
      {children}
    </section>
  );
}

function CommentList({ postId, count }: { postId: string; count: number }) {
  const client = useQueryClient();
  const call = useCall();
  const heading = useRef<HTMLHeadingElement>(null);
  const [news, setNews] = useState('');
  const query = useInfiniteQuery(commentsQuery(call, postId));
  useLiveComments(postId, setNews);
  const comments = query.data?.pages.flatMap(page => page.comments) ?? [];

  return (
    <Frame count={count} headingRef={heading}>
      <CommentForm
        postId={postId}
        onAdded={({ comment, commentCount }) => {
          changeComments(client, postId, { added: [comment], commentCount });
          setNews('Your comment has been added.');
        }}
      />
      <p className="hidden" role="status">
        {news}
      </p>
      {query.isPending && (
        <p className="status" role="status">
          Loading comments...
        </p>
      )}
      {query.isError && comments.length === 0 && (
        <div role="alert">
          <p className="notice bad">{`The comments could not be loaded. ${query.error.message}`}</p>
          <button type="button" className="button" onClick={() => query.refetch()}>
            Try again
          </button>
        </div>
      )}
      {query.isSuccess && comments.length === 0 && <p className="status">No comments yet</p>}
      {comments.map(comment => (
        <CommentItem
          key={comment.id}
          comment={comment}
          onDeleted={commentCount => {
            if (commentCount === undefined) void query.refetch();
            else changeComments(client, postId, { removed: [comment.id], commentCount });
            setNews('The comment has been deleted.');
            // The button that had the focus is gone with its comment.
            heading.current?.focus({ preventScroll: true });
          }}
        />
      ))}
      {query.hasNextPage && (
        <div className="more">
          {query.isFetchNextPageError && (
            <p className="notice bad" role="alert">
              {`More comments could not be loaded. ${query.error?.message ?? ''}`}
            </p>
          )}
          <button
            type="button"
            className="button"
            disabled={query.isFetchingNextPage}
            aria-busy={query.isFetchingNextPage}
            onClick={() => query.fetchNextPage()}
          >
            {query.isFetchingNextPage ? 'Loading comments...' : 'Load More Comments'}
          </button>
        </div>
      )}
    </Frame>
  );
}

/** Keeps the list as the server has it: by the stream, and by asking again where the stream cannot tell. */
function useLiveComments(postId: string, onNews: (text: string) => void): void {
  const client = useQueryClient();
  const call = useCall();
  const refetch = useCallback(() => {
    void client.refetchQueries({ queryKey: ['listComments', { postId }] }, { cancelRefetch: false });
  }, [client, postId]);
  useEffect(
    () =>
      followPost(postId, {
        onState: ({ newestId, commentCount, likeCount }) => {
          const pages = client.getQueryData(commentsQuery(call, postId).queryKey)?.pages;
          const [first] = pages ?? [];
          // The newest and the number tell: comments are only added at the front.
          const isSame =
            first !== undefined &&
            (first.comments[0]?.id ?? null) === newestId &&
            client.getQueryData(operationQuery(call, 'getViewer', {}).queryKey) !== undefined &&
            first.commentCount === commentCount;
          changeComments(client, postId, { commentCount, likeCount });
          if (!isSame) refetch();
        },
        onChange: change => {
          const fresh = changeComments(client, postId, change);
          const [newest] = fresh.filter(comment => !comment.can.delete);
          if (newest !== undefined) onNews(`New comment by ${newest.authorUsername}: ${newest.content}`);
        },
        onGone: () => {
          client.removeQueries({ queryKey: ['listComments', { postId }] });
          void client.invalidateQueries({
            predicate: ({ queryKey: [name] }) =>
              ['getViewer', 'getPosts', 'getPost', 'listComments'].includes(String(name)),
          });
        },
        onSilence: refetch,
      }),
    [client, call, postId, refetch, onNews],
  );
}
