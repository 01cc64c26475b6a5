import { useEffect } from 'react';
import { matchPath, useNavigate } from 'react-router';

/**
 * Leads from a page of the signed-in to the log-in page, which leads back. But not who has just logged out here: their
 * address is the timeline's already, while this page stays until the timeline is loaded. Going back meanwhile renders
 * nothing anew, so that is listened for.
 */
export function ToLogin({ from }: { from: string }) {
  const navigate = useNavigate();
  useEffect(() => {
    const lead = () => {
      if (matchPath(from, window.location.pathname)) navigate(`/login?next=${from}`, { replace: true });
    };
    lead();
    window.addEventListener('popstate', lead);
    return () => window.removeEventListener('popstate', lead);
  }, [navigate, from]);
  return null;
}
