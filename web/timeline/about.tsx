import { useState } from 'react';
import { useSettings, useViewer } from '../app/site.tsx';
import { LoadFailed } from '../ui/load-failed.tsx';
import { Prose } from '../ui/prose.tsx';
import { useScript } from '../ui/use-script.ts';

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
  const { View: AboutDialog, hasFailed, load } = useScript(() => import('./about-dialog.tsx'));
  const [isOpen, setOpen] = useState(false);
  if (!can.administer) return null;
  const open = async () => setOpen(await load());
  return (
    <>
      <button type="button" className="quiet" aria-label="Edit About" onClick={open}>
        Edit
      </button>
      {hasFailed && <LoadFailed text="Failed to load the About text." error={null} onRetry={open} />}
      {AboutDialog !== undefined && <AboutDialog isOpen={isOpen} onClose={() => setOpen(false)} />}
    </>
  );
}
