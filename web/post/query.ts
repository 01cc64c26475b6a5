import { queryOptions } from '@tanstack/react-query';
import { AppError } from '../../contract/errors.ts';
import type { Call, Output } from '../../contract/operations.ts';

export type Post = Output<'getPost'>['post'];

/** A post, or why there is none to show: an answer too, so that the page says the same on the server and after. */
type PostAnswer = { post: Post } | { refusal: 'not-found' | 'permission-denied' };

export function postQuery(call: Call, postId: string) {
  return queryOptions({
    queryKey: ['getPost', { postId }],
    // A like in another tab, or a right that has gone, shows when the reader comes back to this one.
    refetchOnWindowFocus: 'always' as const,
    queryFn: async (): Promise<PostAnswer> => {
      try {
        return await call('getPost', { postId, withContent: false });
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        if (error.code === 'permission-denied') return { refusal: 'permission-denied' };
        // An id that cannot be one is that of no post.
        if (error.code === 'not-found' || error.code === 'invalid-argument') return { refusal: 'not-found' };
        throw error;
      }
    },
  });
}
