import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { useCall } from '../../app/queries.tsx';
import { hasFailed } from '../../app/query-defaults.ts';
import { routes } from '../../app/routes.ts';
import { number } from '../../ui/amount.ts';
import { Section } from '../../ui/section.tsx';
import { RowList, ShowMore } from '../row-list.tsx';
import { BatchBar } from './batch.tsx';
import { type Choices, useChoices } from './choices.ts';
import { MemberRow } from './member.tsx';
import { listOf, type User, type UserList, type UserPage, usersQuery } from './query.ts';
import { AdminRow, DecidedRow, UndecidedRow } from './row.tsx';

type UsersSectionProps = {
  list: UserList;
  title: string;
  /** A sentence about everybody in the list. */
  lead?: string;
  /** The heading of the dates in the second column. */
  since: string;
  empty: string;
  search: string;
  /** The names in the tag list. */
  tags: readonly string[];
};

type ListLinkProps = Pick<UsersSectionProps, 'list' | 'title' | 'search'> & { isCurrent: boolean };

/** A tab: a list with its number of users. Those that most sites do not need are hidden while empty. */
export function ListLink({ list, title, search, isCurrent }: ListLinkProps) {
  const query = useInfiniteQuery(usersQuery(useCall(), list, search));
  const isRare = list === 'unconfirmed' || list === 'denied';
  const isEmpty = (query.data?.pages[0]?.total ?? 0) === 0;
  // A list that failed to load may not be empty.
  if (isRare && isEmpty && !hasFailed(query) && !isCurrent) return null;
  return (
    <Link
      to={routes.users.href(list === 'pending' ? '' : `?list=${list}`)}
      aria-current={isCurrent ? 'page' : undefined}
    >
      <span>
        <Counted title={title} pages={query.data?.pages} />
      </span>
    </Link>
  );
}

/** The title of a list with its number of users. */
function Counted({ title, pages }: { title: string; pages: readonly UserPage[] | undefined }) {
  return (
    <>
      {title} {pages !== undefined && <span className="amount">{number(pages[0]?.total ?? 0)}</span>}
    </>
  );
}

/** A list of users with its number, and a button for more. */
export function UsersSection({ list, title, lead, since, empty, search, tags }: UsersSectionProps) {
  const id = `${list}-users`;
  const query = useInfiniteQuery(usersQuery(useCall(), list, search));
  const choices = useChoices();
  const users = query.data?.pages.flatMap(page => page.users) ?? [];
  const total = query.data?.pages[0]?.total ?? 0;
  const isWaiting = list === 'pending' || list === 'unconfirmed';
  return (
    <Section id={id} title={<Counted title={title} pages={query.data?.pages} />}>
      {lead !== undefined && <p className="lead">{lead}</p>}
      {isWaiting && <BatchBar list={list} users={users} choices={choices} tags={tags} headingId={id} />}
      <RowList
        query={query}
        what="this list"
        empty={search === '' ? empty : 'No matches.'}
        className="users"
        columns={['User', `Email, ${since}`, 'Tags']}
        rows={users.map(user => (
          <UserRow key={user.id} list={list} user={user} tags={tags} total={total} choices={choices} />
        ))}
      />
      <ShowMore query={query} />
    </Section>
  );
}

type UserRowProps = { list: UserList; user: User; tags: readonly string[]; total: number; choices: Choices };

function UserRow({ list, user, tags, total, choices }: UserRowProps) {
  const isDecided = listOf(user) !== list;
  const [wasDecided, setWasDecided] = useState(isDecided);
  if (isDecided && !wasDecided) setWasDecided(true);
  if (isDecided) return <DecidedRow user={user} list={list} />;
  if (list === 'admins') return <AdminRow user={user} isLast={total === 1} />;
  if (list === 'approved') return <MemberRow user={user} tags={tags} isBack={wasDecided} />;
  return <UndecidedRow user={user} tags={tags} choices={choices} isBack={wasDecided} />;
}
