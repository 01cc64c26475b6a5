import { routeAt } from '../app/routes.ts';

/**
 * Marks a page that was reached with an invitation: the header's links to log in and to sign up, which would
 * lead away from it, are hidden (styles/frame.css).
 */
export function Invited() {
  return <span className="invited" hidden />;
}

export function isInvitation(address: string): boolean {
  return routeAt(address.split(/[?#]/)[0] ?? '')?.name === 'invite';
}
