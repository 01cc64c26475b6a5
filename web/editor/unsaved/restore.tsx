import type { RefObject } from 'react';
import { cutAtWord } from '../../../contract/text.ts';
import { useSettings } from '../../app/site.tsx';
import { useDialogs } from '../../ui/dialogs.tsx';
import type { StoredCopy } from './browser-copy.ts';
import type { useEditorState } from './use-editor-state.ts';
import type { CopyOutcome } from './use-offered-copies.ts';

/** Why another text cannot replace the current one. */
export const noRoom =
  'This browser has no room left to keep the text that you see. Copy it somewhere else first.';

/** What the author is told of an offered copy. */
const refusals: Record<CopyOutcome, string | null> = {
  done: null,
  'no room': noRoom,
  'open elsewhere': 'This text is open in another tab.',
  gone: 'This text was saved or discarded in another tab.',
};

type OfferedCopiesProps = {
  state: ReturnType<typeof useEditorState>;
  form: RefObject<HTMLFormElement | null>;
  onRestored(): void;
};

/** Asks what to do with the texts that earlier editors have left in this browser, one after another. */
export function OfferedCopies({ state, form, onRestored }: OfferedCopiesProps) {
  const { alert, confirm } = useDialogs();
  const [copy] = state.copies;
  if (copy === undefined) return null;
  const tell = async (outcome: Promise<CopyOutcome>) => {
    const refusal = refusals[await outcome];
    if (refusal !== null) await alert(refusal);
    return refusal === null;
  };
  const restore = async () => {
    if (await tell(state.restore(copy))) onRestored();
  };
  const discard = async () => {
    const isSure = await confirm(
      'Are you sure you want to discard this unsaved text? This action cannot be undone.',
      { action: 'Discard', isDangerous: true },
    );
    if (!isSure) return;
    await tell(state.discard(copy));
    // The button goes with the last copy, and the focus would go with it.
    if (state.copies.length === 1) form.current?.closest('main')?.focus({ preventScroll: true });
  };
  return (
    <section className="notice restore" aria-label="Unsaved text">
      <CopyText copy={copy} />
      <div className="acts">
        <button type="button" className="button" onClick={restore}>
          Restore
        </button>
        <button type="button" className="quiet danger" onClick={discard}>
          Discard
        </button>
      </div>
    </section>
  );
}

function CopyText({ copy: { draft, savedAt, isOfDeletedPost } }: { copy: StoredCopy }) {
  const { timeZone, dateLanguage } = useSettings();
  const time = new Intl.DateTimeFormat(dateLanguage, { dateStyle: 'long', timeStyle: 'short', timeZone });
  const start = cutAtWord((draft.title || draft.content).trim(), 60);
  return (
    <>
      <p>
        This browser has unsaved text of {time.format(savedAt)}
        {start !== '' && (
          <span>
            : “<bdi>{start}</bdi>”
          </span>
        )}
      </p>
      {isOfDeletedPost && (
        <p>Its post and its files have been deleted. You can save the text as a new post.</p>
      )}
    </>
  );
}
