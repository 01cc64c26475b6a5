import { Fragment } from 'react';
import { Link } from 'wouter';
import type { Output } from '../../contract/operations.ts';
import type { FoundComment, FoundPost, Parts } from '../../contract/search.ts';
import { routes } from '../app/routes.ts';
import { moveAmongResults } from './keys.ts';
import { addressOf, isFiltered, type Search } from './query.ts';

type ResultsProps = { search: Search; found: Output<'search'> };

export function Results({ search, found }: ResultsProps) {
  const { posts, comments, hasNextPage } = found;
  return (
    <>
      <Instead search={search} found={found} />
      <InYear search={search} years={found.years} />
      {posts.length > 0 && (
        <ol className="found" aria-label="Posts">
          {posts.map(post => (
            <li key={post.id}>
              <PostFound post={post} />
            </li>
          ))}
        </ol>
      )}
      {comments.length > 0 && (
        <section className="section" aria-labelledby="own-comments">
          <h2 id="own-comments">Your comments</h2>
          <ol className="found">
            {comments.map(comment => (
              <li key={comment.id}>
                <CommentFound comment={comment} />
              </li>
            ))}
          </ol>
        </section>
      )}
      {(search.page > 1 || hasNextPage) && (
        <nav className="pages" aria-label="Pages">
          {search.page > 1 && (
            <Link className="button" to={addressOf({ ...search, page: search.page - 1 })}>
              Previous Page
            </Link>
          )}
          <span>Page {search.page}</span>
          {hasNextPage && (
            <Link className="button" to={addressOf({ ...search, page: search.page + 1 })}>
              Next Page
            </Link>
          )}
        </nav>
      )}
    </>
  );
}

const isEmpty = (search: Search) => search.q.trim() === '' && !isFiltered(search);

/** If nothing was found: suggestions for another search. */
function Instead({ search, found: { posts, comments, suggestion } }: ResultsProps) {
  if (suggestion !== null) {
    return (
      <p className="status">
        Nothing about “<bdi>{search.q.trim()}</bdi>”. These are about{' '}
        <Link to={addressOf({ ...search, q: suggestion })}>
          “<bdi>{suggestion}</bdi>”
        </Link>
        :
      </p>
    );
  }
  if (posts.length + comments.length > 0 || isEmpty(search)) return null;
  if (search.page > 1) return <p className="status">There are no posts on this page.</p>;
  if (search.q.trim() === '') return <p className="status">There are no posts with these filters.</p>;
  return (
    <p className="status">
      Nothing about “<bdi>{search.q.trim()}</bdi>”{isFiltered(search) ? ' with these filters' : ''}. Try fewer
      or other words.
    </p>
  );
}

/** If the words hold a year with posts: the filter for it, because words are looked for in texts alone. */
function InYear({ search, years }: { search: Search; years: readonly number[] }) {
  const words = search.q.trim().split(/\s+/);
  const year = words.map(Number).find(number => years.includes(number));
  if (year === undefined || search.year !== null) return null;
  const q = words.filter(word => word !== String(year)).join(' ');
  return (
    <p className="status">
      <Link to={addressOf({ ...search, q, year, page: 1 })}>
        {q === '' ? (
          `Show the posts of ${year}`
        ) : (
          <>
            Search “<bdi>{q}</bdi>” in {year}
          </>
        )}
      </Link>
    </p>
  );
}

function PostFound({ post }: { post: FoundPost }) {
  const href = routes.post.href({ postId: post.id });
  return (
    <article>
      {post.title === null ? (
        <p className="words" dir="auto">
          <Link className="hit" onKeyDown={moveAmongResults} to={href}>
            <Marked parts={post.excerpt} />
          </Link>
        </p>
      ) : (
        <>
          <h2 dir="auto">
            <Link className="hit" onKeyDown={moveAmongResults} to={href}>
              <Marked parts={post.title} />
            </Link>
          </h2>
          <p className="words" dir="auto">
            <Marked parts={post.excerpt} />
          </p>
        </>
      )}
      <p className="about-found">
        <bdi>{post.isDraft ? 'Draft' : post.publishedOn}</bdi>
        {post.tags.map((tag, at) => (
          <Fragment key={tag}>
            {at === 0 ? ' · ' : ', '}
            <bdi>{tag}</bdi>
          </Fragment>
        ))}
      </p>
    </article>
  );
}

function CommentFound({ comment }: { comment: FoundComment }) {
  return (
    <article>
      <p className="words" dir="auto">
        <Link
          className="hit"
          onKeyDown={moveAmongResults}
          to={routes.post.href({ postId: comment.postId }, '#comments')}
        >
          <Marked parts={comment.excerpt} />
        </Link>
      </p>
      <p className="about-found">
        {comment.createdOn} · on <bdi>{comment.postTitle}</bdi>
      </p>
    </article>
  );
}

function Marked({ parts }: { parts: Parts }) {
  let at = 0;
  return parts.map(({ text, isMarked }) => {
    const key = at;
    at += text.length;
    return isMarked ? <mark key={key}>{text}</mark> : <Fragment key={key}>{text}</Fragment>;
  });
}

/** The announcement of results for screen readers. */
export function announcement(
  search: Search,
  { posts, comments, suggestion, hasNextPage }: Output<'search'>,
): string {
  if (isEmpty(search)) return '';
  const count = posts.length + comments.length;
  if (count === 0) return 'Nothing found.';
  const found = `${count} ${count === 1 ? 'result' : 'results'}`;
  const more = hasNextPage ? ', and more on the next page' : '';
  return suggestion === null ? `${found}${more}.` : `Nothing found. ${found} about ${suggestion}${more}.`;
}
