import { useEffect } from 'react';
import { Link } from 'wouter';
import { isSlashKeyOn } from '../ui/slash-key.ts';
import { useIsInBrowser } from '../ui/use-is-in-browser.ts';
import { useNavigate, usePath } from './navigation.ts';
import { routes } from './routes.ts';

/** A link to the search on every page; the key `/` opens it, too, unless the reader has turned that off. */
export function FindLink() {
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
