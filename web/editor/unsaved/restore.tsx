import { type RefObject, useEffect, useEffectEvent } from 'react';
import { cutAtWord } from '../../../contract/text.ts';
import { datesInWords } from '../../app/date.tsx';
import { useHash } from '../../app/navigation.ts';
import { useSettings } from '../../app/site.tsx';
import { amount } from '../../ui/amount.ts';
import { useDialogs } from '../../ui/dialogs.tsx';
import type { StoredCopy, WaitingSave } from './browser-copy.ts';
import { leftFiles } from './editor-state.ts';
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

/** What becomes of a post that is written without a connection. */
export function waitingText({ isDraft }: WaitingSave): string {
  return `Not sent yet. It is ${isDraft ? 'saved as a draft' : 'published'} when the connection is back.`;
}

type OfferedCopiesProps = {
  state: ReturnType<typeof useEditorState>;
  form: RefObject<HTMLFormElement | null>;
  onRestored(): void;
};

/**
 * The texts that earlier editors have left in this browser: all that wait for a connection, and the others
 * one after another. One that the address names is restored.
 */
export function OfferedCopies(props: OfferedCopiesProps) {
  const { copies } = props.state;
  const hash = useHash();
  const isNamed = (copy: StoredCopy) => hash === `#${copy.saveKey}`;
  const waiting = copies.filter(copy => copy.waits !== undefined);
  const left = copies.filter(copy => !waiting.includes(copy));
  const next = left.find(isNamed) ?? left[0];
  return [...waiting, ...(next === undefined ? [] : [next])].map(copy => (
    <OfferedCopy key={copy.key} {...props} copy={copy} isNamed={isNamed(copy)} />
  ));
}

type OfferedCopyProps = OfferedCopiesProps & { copy: StoredCopy; isNamed: boolean };

/** Asks what to do with a text. */
function OfferedCopy({ state, form, onRestored, copy, isNamed }: OfferedCopyProps) {
  const { alert, confirm } = useDialogs();
  const tell = async (outcome: Promise<CopyOutcome>) => {
    const refusal = refusals[await outcome];
    if (refusal !== null) await alert(refusal);
    return refusal === null;
  };
  const restore = async () => {
    if (await tell(state.restore(copy))) onRestored();
  };
  const open = useEffectEvent(restore);
  useEffect(() => {
    if (isNamed) void open();
  }, [isNamed]);
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
    <section className="notice restore" aria-label={copy.waits ? 'Not sent yet' : 'Unsaved text'}>
      <CopyText copy={copy} />
      <div className="acts">
        <button type="button" className="button" onClick={restore}>
          {copy.waits ? 'Open' : 'Restore'}
        </button>
        <button type="button" className="quiet danger" onClick={discard}>
          Discard
        </button>
      </div>
    </section>
  );
}

function CopyText({ copy }: { copy: StoredCopy }) {
  const { draft, savedAt, isOfDeletedPost, waits, refusal } = copy;
  const { timeZone, dateLanguage } = datesInWords(useSettings());
  const time = new Intl.DateTimeFormat(dateLanguage, { dateStyle: 'long', timeStyle: 'short', timeZone });
  const start = cutAtWord((draft.title || draft.content).trim(), 60);
  return (
    <>
      {waits && <p>{waitingText(waits)}</p>}
      {refusal && <p>Not sent. {refusal}</p>}
      <p>
        {waits ? 'Written ' : 'This browser has unsaved text of '}
        {time.format(savedAt)}
        {start !== '' && (
          <span>
            : “<bdi>{start}</bdi>”
          </span>
        )}
      </p>
      {leftFiles(copy) > 0 && <p>Not uploaded yet: {amount(leftFiles(copy), 'file')}</p>}
      {isOfDeletedPost && (
        <p>Its post and its files have been deleted. You can save the text as a new post.</p>
      )}
    </>
  );
}
