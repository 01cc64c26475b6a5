import { lazy, Suspense, useState } from 'react';
import { useSettings, useViewer } from '../app/site.tsx';
import { Prose } from '../ui/prose.tsx';

// Loaded only for admins, and only when they edit.
const AboutDialog = lazy(() => import('./about-dialog.tsx'));

/**
 * The About panel: a fixed section, or on narrower screens the panel behind `about`. While its text is empty,
 * it invites an admin to write it.
 */
export function About({ isOpen }: { isOpen: boolean }) {
  const { about } = useSettings();
  return (
    <aside id="about" tabIndex={-1} className={isOpen ? 'about open' : 'about'} aria-labelledby="about-title">
      <h2 id="about-title">About</h2>
      {about.html === '' ? (
        <p>Write a few words about yourself. Until you do, nobody but you sees this panel.</p>
      ) : (
        <Prose html={about.html} className="prose small" />
      )}
      <AboutEditButton />
    </aside>
  );
}

/** The button that edits the About text, for admins only (specification section 2, "/"). */
function AboutEditButton() {
  const { can } = useViewer();
  // Undefined until it is first opened: then its script is loaded.
  const [isOpen, setOpen] = useState<boolean>();
  if (!can.administer) return null;
  return (
    <>
      <button type="button" className="quiet" aria-label="Edit About" onClick={() => setOpen(true)}>
        Edit
      </button>
      {isOpen !== undefined && (
        <Suspense>
          <AboutDialog isOpen={isOpen} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
