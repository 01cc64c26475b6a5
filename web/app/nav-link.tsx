import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { usePath } from './navigation.ts';

type NavLinkProps = {
  to: string;
  className?: string;
  /** Whether only this page itself is marked as current, not the pages below it. */
  isExact?: boolean;
  children: ReactNode;
};

/** A link that is marked as current on its own page. */
export function NavLink({ to, isExact = false, ...link }: NavLinkProps) {
  const path = `${usePath()}/`.toLowerCase();
  const address = to.toLowerCase();
  const isHere = isExact ? path.replace(/\/+$/, '') === address : path.startsWith(`${address}/`);
  return <Link to={to} aria-current={isHere ? 'page' : undefined} {...link} />;
}
