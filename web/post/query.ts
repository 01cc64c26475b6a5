import { queryOptions } from '@tanstack/react-query';
import { AppError } from '../../contract/errors.ts';
import type { Call } from '../../contract/operations.ts';
import type { Post } from '../../contract/post.ts';

/**
 * A post, or why it cannot be shown. A refusal is data, too, so that the page shows the same on the server
 * and in the browser.
 */
type PostAnswer = { post: Post } | { refusal: 'not-found' | 'permission-denied' };

export function postQuery(call: Call, postId: string) {
  return queryOptions({
    queryKey: ['getPost', { postId }],
    // A like in another tab, or a lost right, shows when the reader returns to this tab.
    refetchOnWindowFocus: 'always' as const,
    queryFn: async (): Promise<PostAnswer> => {
      try {
        return await call('getPost', { postId, withContent: false });
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        if (error.code === 'permission-denied') return { refusal: 'permission-denied' };
        // An invalid id belongs to no post.
        if (error.code === 'not-found' || error.code === 'invalid-argument') return { refusal: 'not-found' };
        throw error;
      }
    },
  });
}
