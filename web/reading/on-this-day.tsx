import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { Link } from 'wouter';
import type { Call } from '../../contract/operations.ts';
import { operationQuery, useCall } from '../app/queries.tsx';
import { routes } from '../app/routes.ts';

/** How long an open page shows the same day, in milliseconds. */
const freshMs = 60 * 60_000;

export function onThisDayQuery(call: Call) {
  return { ...operationQuery(call, 'getOnThisDay', {}), staleTime: freshMs };
}

/** Posts of this day in earlier years, for readers who have chosen to see them. */
export function OnThisDay() {
  const id = useId();
  const { data } = useQuery(onThisDayQuery(useCall()));
  if (data === undefined || data.posts.length === 0) return null;
  return (
    <section className="on-this-day" aria-labelledby={id}>
      <h2 id={id}>On this day</h2>
      <ul className="titles">
        {data.posts.map(({ postId, title, year, publishedAt, publishedOn }) => (
          <li key={postId}>
            <time dateTime={publishedAt} title={publishedOn}>
              {year}
            </time>
            <Link to={routes.post.href({ postId })} dir="auto">
              {title}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
