import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { Input, Output } from '../../contract/operations.ts';
import { useQueryString } from '../app/navigation.ts';
import { Page } from '../app/page.tsx';
import { operationQuery, useCall } from '../app/queries.tsx';
import { hasFailed } from '../app/query-defaults.ts';
import { routes } from '../app/routes.ts';
import type { ScreenModule } from '../app/screen.ts';
import { amount, number } from '../ui/amount.ts';
import { LoadFailed } from '../ui/load-failed.tsx';
import '../styles/archive.css';

type Archive = Output<'getArchive'>;

export const prepare: ScreenModule['prepare'] = async ({ call, client, search }) => {
  const place = placeOf(search);
  const archive = await client.fetchQuery(operationQuery(call, 'getArchive', place));
  const title = titleOf(place, archive);
  // Search engines should not index a year without posts, nor a site without any.
  if (archive.posts.length === 0) return { title, status: place.year === undefined ? 200 : 404 };
  return { title, description: title, canonical: addressOf({ ...place, after: undefined }), kind: 'website' };
};

/** Without the name of a month until the archive is loaded. */
function titleOf({ year, month }: Place, archive: Archive | undefined): string {
  if (year == null) return 'Archive';
  const name = month == null ? undefined : archive?.monthNames[month - 1];
  return name === undefined ? `Archive of ${year}` : `Archive of ${name} ${year}`;
}

/** All posts that the reader may read, by year and month. */
export default function ArchivePage() {
  const place = placeOf(useQueryString());
  // Another part of it is a new page, whose heading gets the focus.
  return <PartOfArchive key={addressOf(place)} place={place} />;
}

function PartOfArchive({ place }: { place: Place }) {
  const archive = useQuery(operationQuery(useCall(), 'getArchive', place));
  return (
    <Page title={titleOf(place, archive.data)}>
      {archive.data !== undefined && <Years archive={archive.data} />}
      {archive.data !== undefined && <Months archive={archive.data} place={place} />}
      <p className="status" role="status">
        {archive.isPending && 'Loading...'}
        {archive.data?.posts.length === 0 && 'There are no posts here that you can read.'}
      </p>
      {hasFailed(archive) && (
        <LoadFailed text="Failed to load the archive" error={archive.error} onRetry={archive.refetch} />
      )}
    </Page>
  );
}

function Years({ archive: { years, year: shown } }: { archive: Archive }) {
  if (years.length === 0) return null;
  return (
    <nav className="years" aria-label="Years">
      <ul>
        {years.map(({ year, count }) => (
          <li key={year}>
            <Link to={addressOf({ year })} aria-current={year === shown ? 'true' : undefined}>
              {year}
            </Link>{' '}
            <Count of={count} />
          </li>
        ))}
      </ul>
    </nav>
  );
}

function Count({ of: count }: { of: number }) {
  return (
    <span className="count-of">
      {number(count)} <span className="hidden">{count === 1 ? 'post' : 'posts'}</span>
    </span>
  );
}

function Months({ archive, place }: { archive: Archive; place: Place }) {
  const year = archive.year ?? undefined;
  const shown = archive.months.filter(({ month }) => place.month == null || month === place.month);
  return (
    <>
      {shown.map(({ month, count }) => {
        const posts = archive.posts.filter(post => post.month === month);
        const name = <bdi>{archive.monthNames[month - 1]}</bdi>;
        return (
          <section className="month" key={month} aria-labelledby={`month-${month}`}>
            <h2 id={`month-${month}`}>
              {place.month == null ? <Link to={addressOf({ year, month })}>{name}</Link> : name}{' '}
              <Count of={count} />
            </h2>
            <Titles posts={posts} />
            {place.month == null && posts.length < count && (
              <p>
                <Link to={addressOf({ year, month })}>
                  Show all {amount(count, 'post')} of {name}
                </Link>
              </p>
            )}
          </section>
        );
      })}
      {place.month != null && (
        <nav className="pages" aria-label="Pages">
          <Link to={addressOf({ year })}>{`All of ${year}`}</Link>
          {archive.nextCursor !== null && (
            <Link className="button" to={addressOf({ ...place, after: archive.nextCursor })}>
              Older posts
            </Link>
          )}
        </nav>
      )}
    </>
  );
}

function Titles({ posts }: { posts: Archive['posts'] }) {
  if (posts.length === 0) return null;
  return (
    <ul className="titles">
      {posts.map(({ postId, title, publishedAt, publishedOn, day }) => (
        <li key={postId}>
          <time dateTime={publishedAt} title={publishedOn}>
            {day}
          </time>
          <Link to={routes.post.href({ postId })} dir="auto">
            {title}
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** The part of the archive that an address shows; invalid dates are ignored. */
type Place = Pick<Input<'getArchive'>, 'year' | 'month' | 'after'>;

function placeOf(search: URLSearchParams): Place {
  const within = (name: string, most: number) => {
    const value = Number(search.get(name));
    return Number.isInteger(value) && value >= 1 && value <= most ? value : undefined;
  };
  const year = within('year', 9_999);
  if (year === undefined) return {};
  const month = within('month', 12);
  return { year, month, after: (month && search.get('after')) || undefined };
}

function addressOf({ year, month, after }: Place): string {
  const parameters = Object.entries({ year, month, after }).filter(([, value]) => value != null);
  const query = new URLSearchParams(parameters.map(([name, value]) => [name, String(value)]));
  return routes.archive.href(query.size === 0 ? '' : `?${query}`);
}
