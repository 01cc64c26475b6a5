import {
  type InfiniteData,
  type QueryClient,
  type UseInfiniteQueryResult,
  useInfiniteQuery,
} from '@tanstack/react-query';
import { type ReactNode, type Ref, useCallback, useEffect, useId, useMemo, useRef, useState } from 'react';
import { Link } from 'wouter';
import type { Call, Output } from '../../contract/operations.ts';
import { followPost } from '../app/live.ts';
import { usePath, useQueryString } from '../app/navigation.ts';
import { useOperations } from '../app/queries.tsx';
import { showFromMiddle } from '../app/scroll.ts';
import { useViewer } from '../app/site.tsx';
import { useToast } from '../app/toasts.tsx';
import { useNoteOpened } from '../reading/marks.tsx';
import { amount } from '../ui/amount.ts';
import { hasMovedOn } from '../ui/has-moved-on.ts';
import { QueryFailed } from '../ui/load-failed.tsx';
import { Notice } from '../ui/notice.tsx';
import { useFocusOnLoaded } from '../ui/use-focus-on-loaded.ts';
import { useIsInBrowser } from '../ui/use-is-in-browser.ts';
import { commentLoginPath, loginText, unapprovedCommentText } from './access.ts';
import { ClosingButton, useClosedText } from './closing.tsx';
import type { Changes } from './comment-acts.tsx';
import { CommentForm } from './comment-form.tsx';
import { CommentItem, isPlaceholder } from './comment-item.tsx';
import { editKey, emptyDraft, moveDrafts, writeDraft } from './draft.ts';
import { changeComments, commentsQuery, startOfAddress } from './query.ts';
import { syncComments } from './sync.ts';
import type { Comment } from './threads.ts';

/** Loads the comments that the address opens, for a viewer who may read them. */
export async function prepareComments(
  call: Call,
  client: QueryClient,
  postId: string,
  search: URLSearchParams,
): Promise<void> {
  const { can } = await call('getViewer', {});
  if (can.comment) await client.fetchInfiniteQuery(commentsQuery(call, postId, startOfAddress(search)));
}

/**
 * The comments of a post, newest first and live, with the box to write one (specification sections 2 and 4).
 */
export default function Comments({ postId, count }: { postId: string; count: number }) {
  const { user, can } = useViewer();
  if (can.comment && user !== null) return <CommentList userId={user.id} postId={postId} count={count} />;
  return (
    <Frame count={count}>
      {user === null ? (
        <p className="status">
          {loginText} <Link to={commentLoginPath(postId)}>Log In</Link>
        </p>
      ) : (
        <p className="status">{unapprovedCommentText}</p>
      )}
    </Frame>
  );
}

type FrameProps = { count: number; headingRef?: Ref<HTMLHeadingElement>; children: ReactNode };

function Frame({ count, headingRef, children }: FrameProps) {
  const id = useId();
  const section = useRef<HTMLElement>(null);
  const { can } = useViewer();
  const isInBrowser = useIsInBrowser();
  // By a press on the page, not with it. To others than readers of comments it is only shown by an address.
  const [wasOpened] = useState(isInBrowser && can.comment);
  useEffect(
    () => (wasOpened && section.current !== null ? showFromMiddle(section.current) : undefined),
    [wasOpened],
  );
  return (
    <section className="comments" aria-labelledby={id} ref={section}>
      <h2 id={id} ref={headingRef} tabIndex={-1}>
        {amount(count, 'comment')}
      </h2>
      {children}
    </section>
  );
}

function CommentList({ userId, postId, count }: { userId: string; postId: string; count: number }) {
  useNoteOpened(postId);
  const { call, client } = useOperations();
  const isInBrowser = useIsInBrowser();
  // Comments that are opened while there are none were opened by “Write a comment”.
  const [begins] = useState(isInBrowser && count === 0);
  const start = startOfAddress(useQueryString());
  const heading = useRef<HTMLHeadingElement>(null);
  const [news, say] = useNews();
  const query = useInfiniteQuery(commentsQuery(call, postId, start));
  useEffect(
    () => followPost(postId, syncComments(client, call, postId, start, say)),
    [client, call, postId, start, say],
  );
  const comments = query.data?.pages.flatMap(page => page.comments) ?? [];
  const focusOnLoaded = useFocusOnLoaded();
  const loadMore = (button: Element) => {
    const last = document.getElementById(`comment-${comments.at(-1)?.id}`);
    return focusOnLoaded(button, query.fetchNextPage, () => {
      const next = last?.nextElementSibling;
      return next?.matches('.comment') ? next : undefined;
    });
  };

  const { refetch } = query;
  const changes = useMemo<Changes>(
    () => ({
      deleted: (id, left) => {
        const isLeft = hasMovedOn(document.getElementById(`comment-${id}`));
        if (left === undefined) void refetch();
        else {
          const { comment, commentCount } = left;
          changeComments(client, postId, { added: comment ? [comment] : [], removed: [id], commentCount });
        }
        say('The comment has been deleted.');
        writeDraft(userId, editKey(id), emptyDraft());
        // The focused button is removed with its comment.
        if (!isLeft) heading.current?.focus({ preventScroll: true });
      },
      changed: ({ comment, commentCount }, said) => {
        changeComments(client, postId, { added: [comment], commentCount });
        say(said);
      },
    }),
    [client, userId, postId, refetch, say],
  );
  const movedCount = useMovedDrafts(query.data && comments, userId, postId);
  const { closedAt = null, canClose = false } = query.data?.pages[0] ?? {};
  const closedText = useClosedText(closedAt);
  return (
    <Frame count={count} headingRef={heading}>
      <p className="status" role="status">
        {closedText}
      </p>
      {isInBrowser ? (
        <CommentForm
          key={`${userId} ${movedCount}`}
          userId={userId}
          postId={postId}
          closedText={closedText}
          takesFocus={begins || movedCount > 0}
          onAdded={({ comment, commentCount }) => {
            changeComments(client, postId, { added: [comment], commentCount });
            say('Your comment has been added.');
          }}
        />
      ) : (
        closedText === '' && (
          <noscript>
            <p className="status">Writing a comment needs JavaScript.</p>
          </noscript>
        )
      )}
      <p className="hidden" role="status">
        {news}
      </p>
      <p className="status" role="status">
        {query.isPending && <span>Loading comments...</span>}
        {query.isSuccess && comments.length === 0 && <span>No comments yet</span>}
      </p>
      {query.isError && query.data === undefined && <QueryFailed query={query} what="the comments" />}
      {comments.map(comment => (
        <CommentItem
          key={comment.id}
          comment={comment}
          userId={userId}
          postId={postId}
          closedText={closedText}
          isOpen={closedText === '' && isInBrowser}
          changes={changes}
        />
      ))}
      {query.hasNextPage && <MoreComments query={query} onMore={loadMore} />}
      {query.isFetchingNextPage && <div className="coming" aria-hidden="true" />}
      {isInBrowser && canClose && <ClosingButton postId={postId} closedAt={closedAt} />}
    </Frame>
  );
}

/**
 * Moves the text of an answer or an edit to the box for a comment when its comment is deleted or hidden.
 * Returns how often it did. `comments`: undefined while they are unknown.
 */
function useMovedDrafts(comments: Comment[] | undefined, userId: string, postId: string): number {
  const toast = useToast();
  const [movedCount, setMovedCount] = useState(0);
  const before = useRef<ReadonlySet<string>>(new Set());
  useEffect(() => {
    if (comments === undefined) return;
    const written = new Set(comments.flatMap(comment => (isPlaceholder(comment) ? [] : comment.id)));
    const gone = [...before.current].filter(id => !written.has(id));
    before.current = written;
    if (gone.filter(id => moveDrafts(userId, id, postId)).length === 0) return;
    setMovedCount(count => count + 1);
    toast({ text: 'That comment is gone. Your text is in the box “Write a comment”.', stays: true });
  });
  return movedCount;
}

type CommentPages = UseInfiniteQueryResult<InfiniteData<Output<'listComments'>>>;

/** The button that loads more comments, and a link to the next page for a reader without scripts. */
function MoreComments({ query, onMore }: { query: CommentPages; onMore(button: Element): void }) {
  const path = usePath();
  const cursor = query.data?.pages.at(-1)?.nextCursor ?? '';
  return (
    <div className="more">
      {query.isFetchNextPageError && (
        <Notice text={`Failed to load more comments. ${query.error?.message ?? ''}`} />
      )}
      <button
        type="button"
        className="button"
        aria-disabled={query.isFetchingNextPage}
        aria-busy={query.isFetchingNextPage}
        onClick={({ currentTarget }) => query.isFetchingNextPage || onMore(currentTarget)}
      >
        {query.isFetchingNextPage ? 'Loading comments...' : 'Load More Comments'}
      </button>
      <noscript>
        <a className="button" href={`${path}?comments=${encodeURIComponent(cursor)}#comments`}>
          Load More Comments
        </a>
      </noscript>
    </div>
  );
}

/** Announcements for screen readers, repeated even if the text is the same. */
function useNews(): [ReactNode, (text: string) => void] {
  const [news, setNews] = useState({ text: '', number: 0 });
  const say = useCallback((text: string) => setNews(({ number }) => ({ text, number: number + 1 })), []);
  return [<span key={news.number}>{news.text}</span>, say];
}
