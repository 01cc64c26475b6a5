import { useEffect } from 'react';
import { useNavigate, useQueryString } from '../app/navigation.ts';

/**
 * A redirect to the login keeps the hash of the address that was asked for, such as `#comments` of a mail. It
 * belongs to the page that one goes on to, however one logs in.
 */
export function useHashOfNext(): void {
  const navigate = useNavigate();
  const search = useQueryString();
  useEffect(() => {
    const { hash, pathname } = window.location;
    const next = search.get('next');
    // “Skip to content” leads to the main part of this page.
    if (hash === '' || hash === '#main' || next === null || next.includes('#')) return;
    const query = new URLSearchParams(search);
    query.set('next', next + hash);
    navigate(`${pathname}?${query}`, { replace: true });
  }, [navigate, search]);
}
