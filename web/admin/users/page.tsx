import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { searchMaxCharacters } from '../../../contract/constants.ts';
import { operationQuery, useCall } from '../../app/operations.tsx';
import { useLater } from '../../ui/use-later.ts';
import { AdminPage, forAdmins, useReport } from '../layout.tsx';
import { AdminFactor } from './admin-factor.tsx';
import { DefaultTags } from './defaults.tsx';
import { JumpTo, UsersSection } from './list.tsx';
import { type UserList, usersQuery } from './query.ts';

const lists: readonly UserList[] = ['pending', 'unconfirmed', 'approved', 'denied', 'admins'];
const titles = {
  pending: 'Pending Users',
  unconfirmed: 'Unconfirmed Users',
  approved: 'Approved Users',
  denied: 'Denied Users',
  admins: 'Admins',
} as const satisfies Record<UserList, string>;
/** How long typing must pause before the search, in milliseconds. */
const typingPauseMs = 200;

export const prepare = forAdmins(async ({ call, client }) => {
  await Promise.all([
    ...lists.map(list => client.fetchInfiniteQuery(usersQuery(call, list, ''))),
    client.fetchQuery(operationQuery(call, 'getManagedTags', {})),
    client.fetchQuery(operationQuery(call, 'getDefaultTags', {})),
    client.fetchQuery(operationQuery(call, 'getAdminFactor', {})),
  ]);
  return { title: 'Users' };
});

/** User management (specification section 2, "/admin"). */
export default function UsersPage() {
  const [typed, setTyped] = useState('');
  const search = useLater(typed.trim(), typingPauseMs);
  return (
    <AdminPage
      title="Users"
      actions={
        <search>
          <input
            type="search"
            className="input"
            placeholder="Username, name or email"
            aria-label="Search users"
            maxLength={searchMaxCharacters}
            value={typed}
            onChange={event => setTyped(event.target.value)}
          />
        </search>
      }
    >
      <Users search={search} />
    </AdminPage>
  );
}

function Users({ search }: { search: string }) {
  const report = useReport();
  const query = useQuery(operationQuery(useCall(), 'getManagedTags', {}));
  useEffect(() => {
    if (query.error !== null) report.failed('Failed to load the tags.', query.error);
  }, [query.error, report]);
  const tags = query.data?.tags.map(tag => tag.name) ?? [];
  const common = { search, tags };
  return (
    <>
      <nav aria-label="Lists">
        <ul className="jump">
          {lists.map(list => (
            <JumpTo key={list} list={list} title={titles[list].replace(' Users', '')} search={search} />
          ))}
        </ul>
      </nav>
      <UsersSection
        {...common}
        list="pending"
        title={titles.pending}
        since="signed up"
        empty="No pending users."
      />
      <UsersSection
        {...common}
        list="unconfirmed"
        title={titles.unconfirmed}
        lead="They have not confirmed their email address yet, so it may not be theirs."
        since="signed up"
      />
      {search === '' && <DefaultTags tags={tags} />}
      <UsersSection
        {...common}
        list="approved"
        title={titles.approved}
        since="approved"
        empty="No approved users yet."
      />
      <UsersSection {...common} list="denied" title={titles.denied} since="denied" />
      <UsersSection {...common} list="admins" title={titles.admins} since="signed up" />
      {search === '' && <AdminFactor />}
    </>
  );
}
