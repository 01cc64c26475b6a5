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

/** A link that is marked as current on the page that it leads to. */
export function NavLink({ to, isExact = false, ...link }: NavLinkProps) {
  const path = `${usePath()}/`.toLowerCase();
  const isHere = isExact ? path.replace(/\/+$/, '') === to : path.startsWith(`${to}/`);
  return <Link to={to} aria-current={isHere ? 'page' : undefined} {...link} />;
}
