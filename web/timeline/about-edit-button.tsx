import { lazy, Suspense, useState } from 'react';
import { useViewer } from '../app/site.tsx';

// Loaded only for admins, and only when they edit.
const AboutDialog = lazy(() => import('./about-dialog.tsx'));

/** The button that edits the About text, for admins only (specification section 2, "/"). */
export function AboutEditButton() {
  const { can } = useViewer();
  const [isOpen, setOpen] = useState(false);
  const [isLoaded, setLoaded] = useState(false);
  if (!can.administer) return null;
  return (
    <>
      <button
        type="button"
        className="quiet"
        aria-label="Edit About"
        onClick={() => {
          setLoaded(true);
          setOpen(true);
        }}
      >
        Edit
      </button>
      {isLoaded && (
        <Suspense>
          <AboutDialog isOpen={isOpen} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
