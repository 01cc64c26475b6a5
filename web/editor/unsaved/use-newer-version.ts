import { useQuery } from '@tanstack/react-query';
import { operationQuery, useCall } from '../../app/queries.tsx';
import type { Base } from './editor-state.ts';

/** How often an open editor asks whether its post was saved elsewhere, in milliseconds. */
const askedEveryMs = 30_000;

/**
 * Whether the post of an editor was saved elsewhere since it was opened: its author should know before they
 * write on. Asked while the page is seen, and when the author comes back to it.
 */
export function useHasNewerVersion(base: Base): boolean {
  const call = useCall();
  const { data: version = 0 } = useQuery({
    ...operationQuery(call, 'getPost', { postId: base?.postId ?? '', withContent: false }),
    queryKey: ['versionOf', base?.postId],
    enabled: base !== null,
    select: ({ post }) => post.version,
    staleTime: 0,
    refetchInterval: askedEveryMs,
    refetchOnWindowFocus: 'always',
  });
  return base !== null && version > base.version;
}
