import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { loginHref } from './routes.ts';
import type { SignedOut } from './site.tsx';
import { hasUnsavedTexts } from './unsaved-texts.ts';

/**
 * Explains why the reader has left a page for authors: their session ended in another tab, on another device,
 * or by an admin. The link leads back to it.
 */
export default function SignedOutNotice({ userId, path }: SignedOut) {
  const [isDismissed, setDismissed] = useState(false);
  const [isKept, setKept] = useState(false);
  useEffect(() => {
    let isWanted = true;
    // The editor stores its last words while it is left.
    void hasUnsavedTexts(userId).then(isFound => isWanted && setKept(isFound));
    return () => {
      isWanted = false;
    };
  }, [userId]);
  if (isDismissed) return null;
  const dismiss = () => {
    // Before the button is removed, so that the focus is not lost.
    document.getElementById('main')?.focus({ preventScroll: true });
    setDismissed(true);
  };
  return (
    <p className="notice waiting" role="alert">
      <span>Your session has ended, so the page that you were on has closed.</span>{' '}
      {isKept && <span>What you have not saved is kept in this browser.</span>}{' '}
      <Link to={loginHref(path)}>Log in to go on</Link>{' '}
      <button type="button" className="quiet" onClick={dismiss}>
        Dismiss
      </button>
    </p>
  );
}
