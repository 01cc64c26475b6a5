import type { ReactNode } from 'react';
import { Navigate, NavLink } from 'react-router';
import { usePageHeading, useViewer } from '../app/site.tsx';
import { Redirect } from '../redirect.ts';
import type { ScreenModule } from '../screens.ts';
import '../styles/admin.css';

type Prepare = ScreenModule['prepare'];

/**
 * A `prepare` for admins alone: others go to `/` before anything of the screen is loaded (specification section 2,
 * "/admin/*").
 */
export function forAdmins(prepare: Prepare): Prepare {
  return async request => {
    const { can } = await request.call('getViewer', {});
    if (!can.administer) throw new Redirect('/');
    return await prepare(request);
  };
}

type AdminPageProps = {
  title: string;
  /** Beside the heading: what one comes here to do. */
  actions?: ReactNode;
  children: ReactNode;
};

/**
 * The frame of every admin screen: its navigation, heading and guard. Who stops being an admin while it is open goes to
 * `/`, too. What loads data belongs among the children, which nobody else renders.
 */
export function AdminPage(props: AdminPageProps) {
  return useViewer().can.administer ? <Frame {...props} /> : <Navigate to="/" replace />;
}

function Frame({ title, actions, children }: AdminPageProps) {
  const heading = usePageHeading(title);
  return (
    <main id="main" tabIndex={-1} className="page wide">
      <nav className="tabs" aria-label="Administration">
        <NavLink to="/admin" end>
          Users
        </NavLink>
        <NavLink to="/admin/posts">Posts</NavLink>
        <NavLink to="/admin/tags">Tags</NavLink>
      </nav>
      <header>
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {actions}
      </header>
      {children}
    </main>
  );
}
