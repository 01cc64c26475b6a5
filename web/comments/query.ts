import { type InfiniteData, infiniteQueryOptions, type QueryClient } from '@tanstack/react-query';
import type { Call, Output } from '../../contract/operations.ts';
import { changePost } from '../app/operations.tsx';

type CommentPage = Output<'listComments'>;
export type Comment = CommentPage['comments'][number];

/** The pages of a post's comments, newest first, one after another. */
export function commentsQuery(call: Call, postId: string) {
  return infiniteQueryOptions({
    queryKey: ['listComments', { postId }] as const,
    queryFn: ({ pageParam }) => call('listComments', { postId, after: pageParam }),
    initialPageParam: null as string | null,
    getNextPageParam: (page: CommentPage) => page.nextCursor,
    staleTime: 0,
  });
}

/**
 * Takes comments into a list that is on screen and others out of it. A comment that is there already stays as it is: one's
 * own comes with the answer and again with the stream. Returns those that were new.
 */
export function changeComments(
  client: QueryClient,
  postId: string,
  { added = [], removed = [], ...counts }: Change,
): Comment[] {
  let fresh: Comment[] = [];
  client.setQueryData<InfiniteData<CommentPage>>(['listComments', { postId }], data => {
    if (data === undefined) return data;
    const known = new Set(data.pages.flatMap(page => page.comments.map(comment => comment.id)));
    fresh = added.filter(comment => !known.has(comment.id));
    return {
      ...data,
      pages: data.pages.map((page, index) => {
        const comments = page.comments.filter(comment => !removed.includes(comment.id));
        return { ...page, comments: index === 0 ? [...fresh, ...comments].sort(newestFirst) : comments };
      }),
    };
  });
  changePost(client, postId, counts);
  return fresh;
}

type Change = {
  added?: readonly Comment[];
  removed?: readonly string[];
  commentCount: number;
  likeCount?: number;
};

function newestFirst(a: Comment, b: Comment): number {
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? 1 : -1;
  return a.id < b.id ? 1 : -1;
}
