import { useSyncExternalStore } from 'react';
import { readStorage, writeStorage } from '../ui/browser-storage.ts';

const choices = { system: 'System', light: 'Light', dark: 'Dark' } as const;
type Choice = keyof typeof choices;

/** The key of the reader's choice in the browser; without it the system's setting is used. */
const key = 'theme';

/**
 * Shows the page light or dark, or as the system is set. The function is also put into every document as text
 * (see `themeScript`), so it uses nothing from outside itself.
 */
function showTheme(choice: string | null): void {
  const theme = choice === 'light' || choice === 'dark' ? choice : undefined;
  if (theme === undefined) delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  for (const meta of document.querySelectorAll<HTMLMetaElement>('meta[name=theme-color]')) {
    const own = meta.dataset.theme;
    if (theme === undefined) meta.media = `(prefers-color-scheme: ${own})`;
    else meta.media = own === theme ? 'all' : 'not all';
  }
}

/**
 * Runs in the head before anything is painted, so that a reader who chose dark never sees a light page first.
 */
export const themeScript = `try{(${showTheme})(localStorage.getItem('${key}'))}catch{}`;

function chosen(): Choice {
  const choice = readStorage('localStorage', key);
  return choice === 'light' || choice === 'dark' ? choice : 'system';
}

function choose(choice: Choice): void {
  writeStorage('localStorage', key, choice === 'system' ? null : choice);
  // The browser notifies only the other tabs, so this one gets a made-up event.
  window.dispatchEvent(new StorageEvent('storage', { key }));
}

function subscribe(listener: () => void): () => void {
  const follow = (event: StorageEvent) => {
    if (event.key !== key && event.key !== null) return;
    showTheme(chosen());
    listener();
  };
  window.addEventListener('storage', follow);
  return () => window.removeEventListener('storage', follow);
}

/** Switches between light, dark and the system's setting; the browser remembers the choice. */
export function ThemeSwitch() {
  const choice = useSyncExternalStore(subscribe, chosen, () => 'system');
  return (
    <fieldset className="theme scripted">
      <legend>Theme</legend>
      {(Object.keys(choices) as Choice[]).map(each => (
        <label key={each}>
          <input
            type="radio"
            name="theme"
            className="hidden"
            checked={each === choice}
            onChange={() => choose(each)}
          />
          <span>{choices[each]}</span>
        </label>
      ))}
    </fieldset>
  );
}
