import { type InfiniteData, infiniteQueryOptions, type QueryClient } from '@tanstack/react-query';
import type { Call, Output } from '../../contract/operations.ts';
import { changePost } from '../app/queries.tsx';
import { type Comment, changedPages } from './threads.ts';

type CommentPage = Output<'listComments'>;

/**
 * The pages of a post's comments, newest first and with their answers; for readers without scripts from the
 * cursor `start` on. The stream keeps them up to date, so they are not fetched again because they are old or
 * a window gets the focus.
 */
export function commentsQuery(call: Call, postId: string, start: string | null = null) {
  return infiniteQueryOptions({
    queryKey: ['listComments', { postId, start }] as const,
    queryFn: ({ pageParam }) => call('listComments', { postId, after: pageParam, threads: true }),
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
  /** Comments that are new or changed. */
  added?: readonly Comment[];
  removed?: readonly string[];
  commentCount: number;
  likeCount?: number;
  /**
   * The state of the list on the server after this change, from the stream; left out for the answer to the
   * reader's own action, after which others may have changed something, too.
   */
  state?: Pick<CommentPage, 'version' | 'closedAt'>;
};

/** Puts changed comments into a list on screen, and removes others. Returns the new ones. */
export function changeComments(
  client: QueryClient,
  postId: string,
  { added = [], removed = [], state, ...counts }: Change,
): Comment[] {
  let fresh: Comment[] = [];
  client.setQueriesData<InfiniteData<CommentPage>>({ queryKey: ['listComments', { postId }] }, data => {
    if (data === undefined) return data;
    const changed = changedPages(data.pages, { added, removed });
    const [first, ...others] = changed.pages;
    if (first === undefined) return data;
    fresh = changed.fresh;
    const now = state === undefined ? first : { ...first, ...state, commentCount: counts.commentCount };
    return { ...data, pages: [now, ...others] };
  });
  changePost(client, postId, counts);
  return fresh;
}

/** Updates a list that may have missed something: it is fetched again if the server has another version. */
export async function catchUp(client: QueryClient, call: Call, postId: string, start: string | null) {
  const { queryKey } = commentsQuery(call, postId, start);
  const [first] = client.getQueryData(queryKey)?.pages ?? [];
  if (first !== undefined) {
    const page = await call('listComments', { postId, after: start, threads: true });
    const isSame = page.version === first.version && page.commentCount === first.commentCount;
    if (isSame && page.closedAt === first.closedAt) return;
  }
  await client.refetchQueries({ queryKey }, { cancelRefetch: false });
}
