import {
  type InfiniteData,
  infiniteQueryOptions,
  type QueryClient,
  queryOptions,
  useQueryClient,
} from '@tanstack/react-query';
import { createContext, use } from 'react';
import type { Call, Input, OperationName, Output } from '../../contract/operations.ts';
import type { ListedPost } from '../../contract/post.ts';
import { retriedWhileShown } from './query-defaults.ts';

/** How this runtime calls operations: over HTTP in the browser, in the same process on the server. */
export const CallContext = createContext<Call | null>(null);

export function useCall(): Call {
  const call = use(CallContext);
  if (call === null) throw new Error('The app must be rendered inside a CallContext.');
  return call;
}

/** How this runtime calls operations, and the answers that the page keeps of them. */
export const useOperations = () => ({ call: useCall(), client: useQueryClient() });

/**
 * A reading operation as a query. Its name and input are the key, so two screens with the same call share the
 * answer.
 */
export function operationQuery<Name extends OperationName>(call: Call, name: Name, input: Input<Name>) {
  return queryOptions<Output<Name>>({ queryKey: [name, input], queryFn: () => call(name, input) });
}

/** The settings that every page shows. */
export function settingsQuery(call: Call) {
  return operationQuery(call, 'getSettings', { withContent: false });
}

/** The essays that the navigation and the footer link to. */
export function sitePagesQuery(call: Call) {
  return operationQuery(call, 'getPages', {});
}

/** The pages of the timeline for a selection of tags, from page `start` on. */
export function timelineQuery(call: Call, tags: readonly string[], start = 1) {
  return infiniteQueryOptions({
    queryKey: ['getPosts', { filtTags: tags, page: start }] as const,
    queryFn: ({ pageParam }) =>
      call('getPosts', { filtTags: [...tags], page: start, after: pageParam, withContent: false }),
    initialPageParam: null as string | null,
    getNextPageParam: (page: Output<'getPosts'>) => page.nextCursor,
    ...retriedWhileShown,
  });
}

/** The changing parts of a shown post: its counts, and whether the viewer likes it. */
type PostChange = Partial<Pick<ListedPost, 'isLiked' | 'likeCount' | 'commentCount'>>;

/** Applies a change to a post wherever it is shown: the timeline's pages and its own. */
export function changePost(client: QueryClient, postId: string, change: PostChange): void {
  client.setQueriesData<InfiniteData<Output<'getPosts'>>>({ queryKey: ['getPosts'] }, data =>
    data === undefined
      ? data
      : {
          ...data,
          pages: data.pages.map(page => ({
            ...page,
            posts: page.posts.map(post => (post.id === postId ? { ...post, ...change } : post)),
          })),
        },
  );
  client.setQueryData<{ post?: ListedPost }>(['getPost', { postId }], data =>
    data?.post === undefined ? data : { post: { ...data.post, ...change } },
  );
}
