import { domainToUnicode } from 'node:url';

/**
 * An address as its owner writes it, with the host in its own script. Admins see the stored form, because
 * letters that look alike would let somebody pose as another.
 */
export function shownEmail(email: string): string {
  const at = email.lastIndexOf('@') + 1;
  return email.slice(0, at) + domainToUnicode(email.slice(at));
}
