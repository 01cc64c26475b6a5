import { useMutation } from '@tanstack/react-query';
import { useOperations } from '../app/queries.tsx';
import { useViewer } from '../app/site.tsx';
import { BusyButton } from '../ui/busy-button.tsx';
import { useDialogs } from '../ui/dialogs.tsx';

/** Whether the comments of a post are closed now. */
export function isClosedNow(closedAt: string | null | undefined): boolean {
  return closedAt != null && Date.parse(closedAt) <= Date.now();
}

/** Shown instead of the box for a comment; empty if the reader may write one. */
export function useClosedText(closedAt: string | null | undefined): string {
  const { user } = useViewer();
  if (isClosedNow(closedAt)) return 'Comments are closed.';
  return user?.isMuted ? 'An admin has muted you: you can read comments, but not write.' : '';
}

/** Closes the comments of a post, or opens them again, for its author and admins. */
export function ClosingButton({ postId, closedAt }: { postId: string; closedAt: string | null }) {
  const { call, client } = useOperations();
  const dialogs = useDialogs();
  // The epoch means closed by hand. A post closed by its age is only opened by the site's setting.
  const isClosedByHand = closedAt !== null && Date.parse(closedAt) === 0;
  const change = useMutation({
    mutationFn: () => call('setCommentsClosed', { postId, isClosed: !isClosedByHand }),
    onSuccess: () => client.refetchQueries({ queryKey: ['listComments', { postId }] }),
    onError: error =>
      dialogs.alert(`Failed to ${isClosedByHand ? 'open' : 'close'} the comments. ${error.message}`),
  });
  if (isClosedNow(closedAt) && !isClosedByHand) return null;
  return (
    <BusyButton className="quiet closing" isBusy={change.isPending} onClick={() => change.mutate()}>
      {isClosedByHand ? 'Allow comments again' : 'Allow no more comments'}
    </BusyButton>
  );
}
