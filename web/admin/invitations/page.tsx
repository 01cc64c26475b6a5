import { useInfiniteQuery } from '@tanstack/react-query';
import { operationQuery, useCall } from '../../app/queries.tsx';
import { Section } from '../../ui/section.tsx';
import { AdminPage, forAdmins } from '../layout.tsx';
import { RowList, ShowMore } from '../row-list.tsx';
import { useTagNames } from '../tag-picker.tsx';
import { NewInvitations } from './new.tsx';
import { Proposals } from './proposals.tsx';
import { invitationsQuery } from './query.ts';
import { InvitationRow } from './row.tsx';

export const prepare = forAdmins(async ({ call, client }) => {
  await Promise.all([
    client.fetchInfiniteQuery(invitationsQuery(call)),
    client.fetchQuery(operationQuery(call, 'getManagedTags', {})),
    client.fetchQuery(operationQuery(call, 'listProposals', {})),
  ]);
  return { title: 'Invitations' };
});

/** Invitations: a form for new ones, and the list of earlier ones with who joined by each. */
export default function InvitationsPage() {
  return (
    <AdminPage title="Invitations">
      <Invitations />
    </AdminPage>
  );
}

function Invitations() {
  const tags = useTagNames();
  return (
    <>
      <Proposals tags={tags} />
      <NewInvitations tags={tags} />
      <InvitationList tags={tags} />
    </>
  );
}

function InvitationList({ tags }: { tags: readonly string[] }) {
  const query = useInfiniteQuery(invitationsQuery(useCall()));
  const invitations = query.data?.pages.flatMap(page => page.invitations) ?? [];
  return (
    <Section title="Invitations">
      <p className="lead">
        A new password, or signing out everywhere, revokes the invitations of the admin who made them.
      </p>
      <RowList
        query={query}
        what="the invitations"
        empty="Nobody has been invited yet."
        className="users invitations"
        columns={['For', 'Joined', 'Tags']}
        rows={invitations.map((invitation, index) => (
          <InvitationRow
            key={invitation.id}
            invitation={invitation}
            tags={tags}
            isReplaced={
              // The list begins with the newest.
              invitation.email !== null &&
              invitations.slice(0, index).some(({ email }) => email === invitation.email)
            }
          />
        ))}
      />
      <ShowMore query={query} />
    </Section>
  );
}
