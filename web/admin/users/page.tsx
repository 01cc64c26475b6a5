import { useState } from 'react';
import { searchMaxCharacters } from '../../../contract/constants.ts';
import { useQueryString } from '../../app/navigation.ts';
import { operationQuery } from '../../app/queries.tsx';
import { useLater } from '../../ui/use-later.ts';
import { AdminPage, forAdmins } from '../layout.tsx';
import { useTagNames } from '../tag-picker.tsx';
import { DefaultTags } from './defaults.tsx';
import { ListLink, UsersSection } from './list.tsx';
import { type UserList, usersQuery } from './query.ts';
import { AccessRequests } from './requests.tsx';

const lists = [
  { list: 'pending', title: 'Pending Users', since: 'signed up', empty: 'No pending users.' },
  {
    list: 'unconfirmed',
    title: 'Unconfirmed Users',
    lead: 'They have not confirmed their email address yet, so it may not be theirs.',
    since: 'signed up',
    empty: 'No unconfirmed users.',
  },
  { list: 'approved', title: 'Approved Users', since: 'approved', empty: 'No approved users yet.' },
  { list: 'denied', title: 'Denied Users', since: 'denied', empty: 'No denied users.' },
  { list: 'admins', title: 'Admins', since: 'signed up', empty: 'No admins.' },
] as const;
const chosenList = (search: URLSearchParams): UserList =>
  lists.find(({ list }) => list === search.get('list'))?.list ?? 'pending';

/** The search that a link asks for, such as the one from a tag. */
const linkedSearch = (query: URLSearchParams) =>
  (query.get('search') ?? '').slice(0, searchMaxCharacters).trim();

/** How long typing must pause before the search, in milliseconds. */
const typingPauseMs = 200;

export const prepare = forAdmins(async ({ call, client, search }) => {
  await Promise.all([
    ...lists.map(({ list }) => client.fetchInfiniteQuery(usersQuery(call, list, linkedSearch(search)))),
    client.fetchQuery(operationQuery(call, 'getManagedTags', {})),
    client.fetchQuery(operationQuery(call, 'getDefaultTags', {})),
    client.fetchQuery(operationQuery(call, 'listAccessRequests', {})),
  ]);
  return { title: 'Users' };
});

/** User management (specification section 2, "/admin"). */
export default function UsersPage() {
  const [typed, setTyped] = useState(linkedSearch(useQueryString()));
  const search = useLater(typed.trim(), typingPauseMs);
  return (
    <AdminPage
      title="Users"
      actions={
        <search>
          <input
            type="search"
            className="input"
            placeholder="Username, name, email or tag"
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
  const tags = useTagNames();
  const current = chosenList(useQueryString());
  return (
    <>
      <nav className="tabs" aria-label="Users by state">
        {lists.map(({ list, title }) => (
          <ListLink
            key={list}
            list={list}
            title={title.replace(' Users', '')}
            search={search}
            isCurrent={list === current}
          />
        ))}
      </nav>
      {lists.map(section => (
        // The other lists stay mounted, with the tags chosen in them.
        <div key={section.list} hidden={section.list !== current}>
          {section.list === 'pending' && <AccessRequests />}
          {section.list === 'approved' && search === '' && <DefaultTags tags={tags} />}
          <UsersSection {...section} search={search} tags={tags} />
        </div>
      ))}
    </>
  );
}
