import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { usePath } from './navigation.ts';

type NavLinkProps = {
  to: string;
  className?: string;
  /** Only this page itself is marked, not those below it. */
  isExact?: boolean;
  children: ReactNode;
};

/** A link that says when it leads to where the reader is. */
export function NavLink({ to, isExact = false, ...link }: NavLinkProps) {
  const path = `${usePath()}/`.toLowerCase();
  const isHere = isExact ? path.replace(/\/+$/, '') === to : path.startsWith(`${to}/`);
  return <Link to={to} aria-current={isHere ? 'page' : undefined} {...link} />;
}
