import { cutAtWord } from '../../../contract/text.ts';
import { useSettings } from '../../app/site.tsx';
import type { StoredCopy } from './browser-copy.ts';

type RestoreProps = {
  copy: StoredCopy;
  onRestore(): void;
  onDiscard(): void;
};

/** Offers the unsaved text that an earlier editor has left in this browser. */
export function Restore({ copy, onRestore, onDiscard }: RestoreProps) {
  const { timeZone } = useSettings();
  const time = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeStyle: 'short', timeZone });
  const { draft, savedAt } = copy;
  const start = cutAtWord((draft.title || draft.content).trim(), 60);
  return (
    <section className="notice restore" aria-label="Unsaved text">
      <p>
        This browser has unsaved text of {time.format(savedAt)}
        {start !== '' && (
          <>
            : “<bdi>{start}</bdi>”
          </>
        )}
      </p>
      {copy.isOfDeletedPost && (
        <p>Its post and its files have been deleted. You can save the text as a new post.</p>
      )}
      <div className="acts">
        <button type="button" className="button" onClick={onRestore}>
          Restore
        </button>
        <button type="button" className="quiet danger" onClick={onDiscard}>
          Discard
        </button>
      </div>
    </section>
  );
}
