import { lazy, Suspense } from 'react';
import { useIsInBrowser } from '../ui/use-is-in-browser.ts';
import { useSettings, useViewer } from './site.tsx';

const LiveViewer = lazy(() =>
  // Without it the page is as it was loaded, which must not keep it from being read.
  import('./live-viewer.tsx').catch(() => ({ default: () => null })),
);

/**
 * What somebody who is signed in should know on every page: that their account still waits, or was denied. It changes by
 * itself when an admin decides, because an open page hears of it.
 */
export function ReaderNotice() {
  const { user } = useViewer();
  const { confirmsFirst } = useSettings();
  const isInBrowser = useIsInBrowser();
  if (user === null) return null;
  const mustConfirm = confirmsFirst && !user.isEmailConfirmed;
  return (
    <>
      {user.pendingApproval && (
        <p className="notice waiting" role="status">
          {mustConfirm
            ? 'Please confirm your email address with the link we sent you: an admin can then approve your account.'
            : 'Your account is waiting for approval by an admin.'}{' '}
          Until then you can read what visitors can read.
        </p>
      )}
      {!user.isApproved && !user.pendingApproval && (
        <p className="notice waiting" role="status">
          An admin has denied your account. You can read what every visitor can, but not like or comment.
        </p>
      )}
      {isInBrowser && (
        <Suspense fallback={null}>
          <LiveViewer />
        </Suspense>
      )}
    </>
  );
}
