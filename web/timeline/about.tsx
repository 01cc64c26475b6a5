import { useSettings } from '../app/site.tsx';
import { Prose } from '../ui/prose.tsx';
import { AboutEditButton } from './about-edit-button.tsx';

/** The About panel: a fixed section, or on narrower screens the one behind `about`. */
export function About({ isOpen }: { isOpen: boolean }) {
  const { about } = useSettings();
  return (
    <aside id="about" className={isOpen ? 'about open' : 'about'} aria-labelledby="about-title">
      <h2 id="about-title">About</h2>
      <Prose html={about.html} className="prose small" />
      <AboutEditButton />
    </aside>
  );
}
