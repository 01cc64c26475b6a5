import { Link } from 'wouter';
import type { ListedPost } from '../../contract/post.ts';
import { routes } from '../app/routes.ts';
import { useViewer } from '../app/site.tsx';
import { unapprovedCommentText } from '../comments/access.ts';
import { useHasNewComments } from '../reading/marks.tsx';
import { amount, number } from '../ui/amount.ts';
import { readStorage } from '../ui/browser-storage.ts';
import { useDialogs } from '../ui/dialogs.tsx';
import { unsavedKey } from '../ui/unsaved-key.ts';
import { useIsInBrowser } from '../ui/use-is-in-browser.ts';
import { MessageSquare } from './icons.tsx';
import { useLoginPrompt } from './login-prompt.ts';

export type Unfold = { isOpen: boolean; regionId: string; toggle(): void };

type CommentControlProps = { post: ListedPost; unfold: Unfold | undefined; inWords: boolean };

/**
 * Opens and closes the comments of a post, or links to them if they are elsewhere. Without scripts it is
 * always a link. A reader who may not read comments is told why (specification sections 6 and 8).
 */
export function CommentControl({ post, unfold, inWords }: CommentControlProps) {
  const { user, can } = useViewer();
  const dialogs = useDialogs();
  const promptLogin = useLoginPrompt();
  // The server renders a link, so that a click before any script has run leads to the comments, too.
  const isInBrowser = useIsInBrowser();
  const address = routes.post.href({ postId: post.id }, '#comments');
  const isNew = useHasNewComments(post.id);
  const inAll = amount(post.commentCount, 'comment');
  const hasDraft =
    isInBrowser &&
    user !== null &&
    can.comment &&
    !unfold?.isOpen &&
    readStorage('localStorage', unsavedKey('comment-draft', user.id, post.id)) !== null;
  const invitation = hasDraft
    ? 'Your unsent comment'
    : inWords && post.commentCount === 0 && 'Write a comment';
  const named = invitation ? `${invitation}, ${inAll}` : inAll;
  const label = isNew ? `${named}, new since you were here` : named;
  const refuse = () => (user === null ? promptLogin(address) : dialogs.alert(unapprovedCommentText));
  const content = (
    <>
      <MessageSquare />
      <span>{invitation || (inWords ? inAll : number(post.commentCount))}</span>
      {isNew && <span className="dot" />}
    </>
  );
  if (unfold === undefined || !isInBrowser) {
    return (
      <Link
        className="count"
        to={address}
        aria-label={label}
        onClick={event => {
          if (can.comment || event.metaKey || event.ctrlKey || event.shiftKey) return;
          event.preventDefault();
          void refuse();
        }}
      >
        {content}
      </Link>
    );
  }
  return (
    <button
      type="button"
      className="count"
      aria-label={label}
      aria-expanded={unfold.isOpen}
      aria-controls={unfold.isOpen ? unfold.regionId : undefined}
      onClick={() => (can.comment || unfold.isOpen ? unfold.toggle() : refuse())}
    >
      {content}
    </button>
  );
}
