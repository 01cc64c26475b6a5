import { type InfiniteData, infiniteQueryOptions, type QueryClient } from '@tanstack/react-query';
import type { Call, Output } from '../../../contract/operations.ts';

type InvitationPage = Output<'listInvitations'>;
export type Invitation = InvitationPage['invitations'][number];

export function invitationsQuery(call: Call) {
  return infiniteQueryOptions({
    queryKey: ['listInvitations'] as const,
    queryFn: ({ pageParam }) => call('listInvitations', { after: pageParam }),
    initialPageParam: null as string | null,
    getNextPageParam: (page: InvitationPage) => page.nextCursor,
  });
}

/** An invitation as the list has it now; its row is only rendered again a moment later. */
export function listedInvitation(client: QueryClient, invitationId: string): Invitation | undefined {
  return client
    .getQueryData<InfiniteData<InvitationPage>>(['listInvitations'])
    ?.pages.flatMap(page => page.invitations)
    .find(({ id }) => id === invitationId);
}
