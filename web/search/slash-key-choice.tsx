import { isSlashKeyOn, turnSlashKey } from '../ui/slash-key.ts';
import { useIsInBrowser } from '../ui/use-is-in-browser.ts';

/** Turns the key that opens the search off and on, in this browser. */
export function SlashKeyChoice() {
  // The server does not know the browser's choice, and without scripts the key does nothing.
  if (!useIsInBrowser()) return null;
  return (
    <label className="slash-key">
      <input
        type="checkbox"
        defaultChecked={isSlashKeyOn()}
        onChange={event => turnSlashKey(event.target.checked)}
      />{' '}
      The key / opens this search from every page
    </label>
  );
}
