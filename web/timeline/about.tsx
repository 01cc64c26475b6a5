import { useSettings } from '../app/site.tsx';
import { Prose } from '../ui/prose.tsx';
import { AboutEditButton } from './about-edit-button.tsx';

/**
 * The About panel: a fixed section, or on narrower screens the panel behind `about`. While its text is empty, it
 * invites an admin to write it.
 */
export function About({ isOpen }: { isOpen: boolean }) {
  const { about } = useSettings();
  return (
    <aside id="about" className={isOpen ? 'about open' : 'about'} aria-labelledby="about-title">
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
