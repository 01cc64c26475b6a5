import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Link } from 'wouter';
import type { ShownIn } from '../../contract/post-input.ts';
import { sitePictureAt } from '../../contract/site-pictures.ts';
import { initialOf } from '../../contract/text.ts';
import { isSlashKeyOn } from '../ui/slash-key.ts';
import { useIsInBrowser } from '../ui/use-is-in-browser.ts';
import { NavLink } from './nav-link.tsx';
import { stayHere, useNavigate, usePath } from './navigation.ts';
import { sitePagesQuery, useCall } from './queries.tsx';
import { routes } from './routes.ts';
import { useSettings, useViewer } from './site.tsx';
import { ThemeSwitch } from './theme.tsx';
import { useOfflineCleanup } from './use-offline-cleanup.ts';
import { useSignOut } from './use-sign-out.ts';
import { Waiting } from './waiting.tsx';

/** The brand, and who is signed in (specification section 2, "Other"). */
export function TopBar() {
  const { title, icon, signUp } = useSettings();
  const { user, can } = useViewer();
  const path = usePath();
  const home = routes.timeline.href();
  useOfflineCleanup();
  return (
    <header className="bar">
      <Link
        className="brand"
        to={home}
        onClick={event => {
          if (path !== home) return;
          event.preventDefault();
          stayHere();
          window.scrollTo({ top: 0, behavior: 'smooth' });
        }}
      >
        {icon === '' ? (
          <span className="initial" aria-hidden="true">
            {initialOf(title)}
          </span>
        ) : (
          <img src={sitePictureAt('icon', icon, 180)} width={28} height={28} alt="" />
        )}
        <span className="name">{title}</span>
      </Link>
      <FindLink />
      <nav className="links" aria-label="Account">
        {user === null ? (
          <>
            <NavLink to={routes.login.href()}>Login</NavLink>
            {signUp === 'everybody' && <NavLink to={routes.signup.href()}>Sign Up</NavLink>}
          </>
        ) : (
          <>
            <NavLink to={routes.profile.href()} className="username">
              <span className="name">{user.username}</span>
            </NavLink>
            {can.write && <NavLink to={routes.newPost.href()}>Write</NavLink>}
            {(can.administer || user.needsSecondFactor) && (
              <NavLink to={routes.users.href()} className="counted">
                Admin
                {can.administer && <Waiting />}
              </NavLink>
            )}
            {can.write && !can.administer && <NavLink to={routes.posts.href()}>Posts</NavLink>}
            <LogoutButton />
          </>
        )}
      </nav>
    </header>
  );
}

/** Links to the essays in the navigation that the viewer may read. */
export function Navigation() {
  const links = usePageLinks('navigation');
  if (links.length === 0) return null;
  return (
    <nav className="pages-bar" aria-label="Pages">
      {links}
    </nav>
  );
}

function usePageLinks(shownIn: ShownIn) {
  const { data } = useQuery(sitePagesQuery(useCall()));
  return (data?.pages ?? [])
    .filter(page => page.shownIn === shownIn)
    .map(({ postId, title }) => (
      <NavLink key={postId} to={routes.post.href({ postId })}>
        <span dir="auto">{title}</span>
      </NavLink>
    ));
}

function LogoutButton() {
  const { signOut, isBusy, error } = useSignOut('signOut');
  return (
    <>
      <button type="button" aria-busy={isBusy} onClick={signOut}>
        Logout
      </button>
      {error !== null && (
        <p className="notice bad toast" role="alert">
          Failed to log out. Please try again.
        </p>
      )}
    </>
  );
}

export function Footer() {
  const { title, footer } = useSettings();
  return (
    <footer className="foot">
      <span>{title}</span>
      <Link to={routes.archive.href()}>Archive</Link>
      {usePageLinks('footer')}
      {footer.map(({ label, address }) => (
        <a key={address} href={address} dir="auto">
          {label}
        </a>
      ))}
      <ThemeSwitch />
    </footer>
  );
}

/** A link to the search on every page; the key `/` opens it, too, unless the reader has turned that off. */
function FindLink() {
  const navigate = useNavigate();
  const home = routes.search.href();
  const isHere = usePath() === home;
  const isKeyOn = useIsInBrowser() && isSlashKeyOn();
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, isComposing } = event;
      if (key !== '/' || ctrlKey || metaKey || altKey || isComposing || event.defaultPrevented) return;
      // The editor's text is in a shadow tree, of which `target` names only the host.
      const [target] = event.composedPath();
      if (target instanceof Element && target.closest(ownKeys) !== null) return;
      if (!isSlashKeyOn()) return;
      event.preventDefault();
      const field = document.querySelector<HTMLInputElement>('main input[type=search][name=q]');
      if (field === null) navigate(home);
      else field.select();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [navigate, home]);
  return (
    <Link
      to={home}
      className="find"
      aria-label="Find posts"
      aria-keyshortcuts={isKeyOn ? '/' : undefined}
      aria-current={isHere ? 'page' : undefined}
    >
      <svg
        aria-hidden="true"
        viewBox="0 0 18 18"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.6"
        strokeLinecap="round"
      >
        <circle cx="7.5" cy="7.5" r="5" />
        <path d="m11.3 11.3 4.2 4.2" />
      </svg>
    </Link>
  );
}

/** Places where keys are typed, or have a meaning of their own. */
const ownKeys =
  'input, textarea, select, [contenteditable]:not([contenteditable=false]), [role=dialog], [role=alertdialog]';
