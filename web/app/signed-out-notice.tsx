import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { readStorage } from '../ui/browser-storage.ts';
import { unsavedKey } from '../ui/unsaved-key.ts';
import { usePath } from './navigation.ts';
import { loginHref, routeAt } from './routes.ts';
import type { SignedOut } from './site.tsx';
import { hasUnsavedTexts } from './unsaved-texts.ts';

/**
 * Says that the session has ended: by the reader on this page, in another tab, on another device or by an
 * admin. The link leads back to where they were. Of what was on the page, only that own text is kept is told.
 */
export default function SignedOutNotice({ userId, path, endedHere }: SignedOut) {
  const [isDismissed, setDismissed] = useState(false);
  const isAtLogin = routeAt(usePath())?.name === 'login';
  const kept = useKeptText(userId, path);
  useEffect(() => {
    const { pathname, search, hash } = window.location;
    // A hash would lead down again, to the comments.
    if (hash !== '') window.history.replaceState(window.history.state, '', pathname + search);
    window.scrollTo({ top: 0, behavior: 'instant' });
  }, []);
  if (isDismissed) return null;
  const dismiss = () => {
    // Before the button is removed, so that the focus is not lost.
    document.getElementById('main')?.focus({ preventScroll: true });
    setDismissed(true);
  };
  const link = kept !== undefined && routeAt(path)?.name === 'post' ? `${path}#comments` : path;
  return (
    <p className="notice waiting" role="alert">
      {endedHere === undefined ? (
        <>
          <span>
            You were signed out. Your login has expired, or was ended in another tab, on another device or by
            an admin.
          </span>{' '}
          {kept === 'text' && <span>What you have not saved is kept in this browser.</span>}{' '}
          {kept === 'comment' && <span>The comment that you were writing is kept in this browser.</span>}{' '}
          {(kept === 'comment' || !isAtLogin) && (
            <Link to={loginHref(link)}>{kept === 'comment' ? 'Log in to send it' : 'Log in to go on'}</Link>
          )}
        </>
      ) : (
        <span>
          {endedHere === 'deleteAccount'
            ? 'Your account has been deleted. You read as a visitor now.'
            : 'You are signed out on all devices, including this one.'}
        </span>
      )}{' '}
      <button type="button" className="quiet" onClick={dismiss}>
        Dismiss
      </button>
    </p>
  );
}

/** Whether this browser keeps a comment of the account on the post that was open, or another text. */
function useKeptText(userId: string, path: string): 'comment' | 'text' | undefined {
  const at = routeAt(path);
  const [hasText, setHasText] = useState(false);
  useEffect(() => {
    let isWanted = true;
    // The editor stores its last words while it is left.
    void hasUnsavedTexts(userId).then(isFound => isWanted && setHasText(isFound));
    return () => {
      isWanted = false;
    };
  }, [userId]);
  if (!hasText) return undefined;
  const postId = at?.name === 'post' ? at.params.postId : undefined;
  const key = unsavedKey('comment-draft', userId, postId ?? '');
  return readStorage('localStorage', key) === null ? 'text' : 'comment';
}
