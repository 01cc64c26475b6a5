import { type InfiniteData, infiniteQueryOptions, type QueryClient } from '@tanstack/react-query';
import type { Call, Output } from '../../contract/operations.ts';
import { changePost } from '../app/operations.tsx';

type CommentPage = Output<'listComments'>;
export type Comment = CommentPage['comments'][number];

/**
 * The pages of a post's comments, newest first; for readers without scripts from the cursor `start` on. The
 * stream keeps them up to date, so they are not fetched again because they are old or a window gets the
 * focus.
 */
export function commentsQuery(call: Call, postId: string, start: string | null = null) {
  return infiniteQueryOptions({
    queryKey: ['listComments', { postId, start }] as const,
    queryFn: ({ pageParam }) => call('listComments', { postId, after: pageParam }),
    initialPageParam: start,
    getNextPageParam: (page: CommentPage) => page.nextCursor,
    staleTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
}

/** The cursor in the address, `?comments=`, which links for readers without scripts contain. */
export function startOfAddress(search: URLSearchParams): string | null {
  const start = search.get('comments') ?? '';
  return start.length > 1 ? start.slice(0, 200) : null;
}

type Change = {
  added?: readonly Comment[];
  removed?: readonly string[];
  commentCount: number;
  likeCount?: number;
  /**
   * Whether the list equals that of the server after this change: true for the stream, not for the answer to
   * the reader's own action.
   */
  isInStep?: boolean;
};

/**
 * Adds comments to a list on screen, and removes others. A comment that is already there is not changed:
 * one's own comes with the answer and again with the stream. Returns the new ones.
 */
export function changeComments(
  client: QueryClient,
  postId: string,
  { added = [], removed = [], isInStep = false, ...counts }: Change,
): Comment[] {
  let fresh: Comment[] = [];
  client.setQueriesData<InfiniteData<CommentPage>>({ queryKey: ['listComments', { postId }] }, data => {
    if (data === undefined) return data;
    const known = new Set(data.pages.flatMap(page => page.comments.map(comment => comment.id)));
    fresh = added.filter(comment => !known.has(comment.id));
    const gone = removed.filter(id => known.has(id));
    const [first, ...others] = data.pages;
    if (first === undefined) return data;
    const commentCount = isInStep ? counts.commentCount : first.commentCount;
    if (fresh.length === 0 && gone.length === 0 && commentCount === first.commentCount) return data;
    const left = (page: CommentPage) =>
      gone.length === 0 ? page : { ...page, comments: page.comments.filter(({ id }) => !gone.includes(id)) };
    const comments = [...fresh, ...left(first).comments];
    return {
      ...data,
      pages: [
        { ...first, commentCount, comments: fresh.length === 0 ? comments : comments.sort(newestFirst) },
        ...others.map(left),
      ],
    };
  });
  changePost(client, postId, counts);
  return fresh;
}

/**
 * Updates a list that has missed something: it fetches from the newest comment on, up to a known one. Only if
 * a comment must have been deleted is everything fetched again.
 */
export async function catchUp(client: QueryClient, call: Call, postId: string, start: string | null) {
  const { queryKey } = commentsQuery(call, postId, start);
  const [first] = client.getQueryData(queryKey)?.pages ?? [];
  if (first !== undefined && start === null) {
    const known = new Set(first.comments.map(comment => comment.id));
    const missed: Comment[] = [];
    let after: string | null = null;
    do {
      const page: CommentPage = await call('listComments', { postId, after });
      const met = page.comments.findIndex(comment => known.has(comment.id));
      missed.push(...page.comments.slice(0, met < 0 ? undefined : met));
      after = met < 0 ? page.nextCursor : null;
      if (after !== null) continue;
      if (page.commentCount === first.commentCount + missed.length) {
        changeComments(client, postId, { added: missed, commentCount: page.commentCount, isInStep: true });
        return;
      }
    } while (after !== null);
  }
  await client.refetchQueries({ queryKey }, { cancelRefetch: false });
}

function newestFirst(a: Comment, b: Comment): number {
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? 1 : -1;
  return a.id < b.id ? 1 : -1;
}
