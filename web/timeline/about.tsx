import { useSettings } from '../app/site.tsx';
import { Prose } from '../ui/prose.tsx';
import { AboutEditButton } from './about-edit-button.tsx';

/**
 * The About panel; while its text is empty, an invitation to who may write it: a fixed section, or on narrower screens the
 * one behind `about`.
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
