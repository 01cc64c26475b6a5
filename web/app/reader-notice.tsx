import { useState } from 'react';
import { Link } from 'wouter';
import { routes } from './routes.ts';
import { useSettings, useViewer } from './site.tsx';

/**
 * A notice on every page for a pending or denied reader. It is updated when an admin decides, because an open
 * page receives events.
 */
export function ReaderNotice() {
  const { user } = useViewer();
  const { sendsMail } = useSettings();
  const [hasWaited, setWaited] = useState(false);
  if (user?.pendingApproval && !hasWaited) setWaited(true);
  if (user === null) return null;
  const dismiss = () => {
    // Before the button is removed, so that the focus is not lost.
    document.getElementById('main')?.focus({ preventScroll: true });
    setWaited(false);
  };
  const mustConfirm = user.mustConfirmEmail;
  if (user.isApproved && !hasWaited) return null;
  return (
    // It stays when an admin decides, because a screen reader announces only what changes in it.
    <div role="status">
      {user.pendingApproval && (
        <p className="notice waiting">
          <span>
            {mustConfirm
              ? `Please confirm ${user.email} with the link we sent there: an admin can then approve your account.`
              : 'Your account is waiting for approval by an admin.'}
          </span>{' '}
          {mustConfirm && (
            <>
              <Link to={routes.account.href()}>Another address, or send it again</Link>.{' '}
            </>
          )}
          Until then you can read what visitors can read.
          {sendsMail && !mustConfirm && <span> We’ll email you when it is approved.</span>}
        </p>
      )}
      {hasWaited && user.isApproved && (
        <p className="notice waiting">
          Your account has been approved. You can now read what is shared with you, like and comment.{' '}
          <button type="button" className="quiet" onClick={dismiss}>
            Dismiss
          </button>
        </p>
      )}
      {!user.isApproved && !user.pendingApproval && (
        <p className="notice waiting">
          An admin has denied your account. You can read what every visitor can, but not like or comment.
        </p>
      )}
    </div>
  );
}
