import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { useOperations } from '../../app/queries.tsx';
import { routes } from '../../app/routes.ts';
import { useViewer } from '../../app/site.tsx';
import { useToast } from '../../app/toasts.tsx';
import { useConnection } from '../../app/use-connection.ts';
import { askViewer } from '../../app/viewer.ts';
import { amount } from '../../ui/amount.ts';
import { savedToast } from '../saved-toast.tsx';
import { copyKey } from '../unsaved/browser-copy.ts';
import { type Sent, sendWaiting } from './send-waiting.ts';

/**
 * Sends posts that were written without a connection, or while the site did not answer, from any page, as
 * soon as possible.
 */
export default function UnsentPosts() {
  const { call, client } = useOperations();
  const toast = useToast();
  const { user, can } = useViewer();
  const userId = user?.id ?? '';
  const [isWaiting, setWaiting] = useState(false);
  const onSent = (sent: Sent) => {
    toast(toastOf(sent, can.write));
    // Not the post in an open editor, which is never refreshed while its author writes.
    void client.invalidateQueries({ predicate: ({ queryKey: [name] }) => name !== 'editedPost' });
  };
  const look = async (signal: AbortSignal) => {
    // Another tab may have signed somebody else in meanwhile.
    const isSignedIn = () =>
      askViewer(client, call).then(
        viewer => viewer.user?.id === userId,
        () => false,
      );
    const onFiles = (count: number) =>
      toast({ text: `Sending your post with ${amount(count, 'file')}...`, stays: true });
    const isLeft = await sendWaiting({ call, userId, isSignedIn, signal, onFiles, onSent });
    if (!signal.aborted) setWaiting(isLeft);
  };
  useConnection(signal => void look(signal), true, isWaiting);
  useEffect(() => {
    const ofNewPosts = copyKey(userId, null, '');
    const listening = new AbortController();
    const { signal } = listening;
    // A text was stored, which may be waiting: the next check finds out.
    window.addEventListener('storage', ({ key }) => key?.startsWith(ofNewPosts) && setWaiting(true), {
      signal,
    });
    return () => listening.abort();
  }, [userId]);
  return null;
}

function toastOf(sent: Sent, canWrite: boolean) {
  const { isDraft } = sent;
  if ('postId' in sent) {
    const text = isDraft ? 'Your draft is saved.' : 'Your post is published.';
    return { ...savedToast(sent.postId, isDraft, null), text };
  }
  return {
    text: `Your ${isDraft ? 'draft was not saved' : 'post was not published'}. ${sent.refusal}`,
    actions: canWrite && (
      <Link className="quiet" to={routes.newPost.href(`#${sent.saveKey}`)}>
        Open it
      </Link>
    ),
    stays: true,
  };
}
