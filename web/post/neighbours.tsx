import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { Call, Output } from '../../contract/operations.ts';
import { operationQuery, useCall } from '../app/queries.tsx';
import { routes } from '../app/routes.ts';

export function neighboursQuery(call: Call, postId: string) {
  return operationQuery(call, 'getNeighbours', { postId });
}

type Neighbour = NonNullable<Output<'getNeighbours'>['older']>;

/** Links to the previous and next post. Nothing until they are known. */
export function Neighbours({ postId }: { postId: string }) {
  const { data } = useQuery(neighboursQuery(useCall(), postId));
  if (data === undefined || (data.older === null && data.newer === null)) return null;
  return (
    <nav className="neighbours" aria-label="More posts">
      {data.older !== null && <Neighbour post={data.older} which="Older" rel="prev" />}
      {data.newer !== null && <Neighbour post={data.newer} which="Newer" rel="next" />}
    </nav>
  );
}

function Neighbour({ post, which, rel }: { post: Neighbour; which: string; rel: 'prev' | 'next' }) {
  return (
    <Link to={routes.post.href({ postId: post.postId })} rel={rel}>
      <span>{which}</span>
      <strong>
        <bdi>{post.title}</bdi>
      </strong>
    </Link>
  );
}
