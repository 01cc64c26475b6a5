import { useIsMutating, useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { contentMaxCharacters } from '../../contract/constants.ts';
import { AppError } from '../../contract/errors.ts';
import type { Output } from '../../contract/operations.ts';
import { operationQuery, settingsQuery, useCall, useOperations } from '../app/queries.tsx';
import { useViewer } from '../app/site.tsx';
import { readStoredJson, writeStorage } from '../ui/browser-storage.ts';
import { Dialog } from '../ui/dialog.tsx';
import { LoadFailed } from '../ui/load-failed.tsx';
import { Notice } from '../ui/notice.tsx';
import { onForm } from '../ui/on-form.ts';
import { SubmitButton } from '../ui/submit-button.tsx';
import { unsavedKey } from '../ui/unsaved-key.ts';

/** An admin's text, and the version that it is based on. */
type Draft = { text: string; version: string };

/**
 * The key of text that was neither saved nor cancelled, so that closing the dialog with Escape or a click
 * loses nothing.
 */
const draftKey = (userId: string) => unsavedKey('about-draft', userId);

function storedDraft(userId: string): Draft | null {
  const draft = readStoredJson('sessionStorage', draftKey(userId));
  const isDraft = typeof draft === 'object' && draft !== null && 'text' in draft && 'version' in draft;
  return isDraft ? { text: String(draft.text), version: String(draft.version) } : null;
}

/** The key of the mutation that saves the text. */
const saveKey = ['saveAbout'];

/**
 * The modal 'Edit About Section' (specification section 2, "/"). It stays open during a save: if it were
 * opened again meanwhile, the end of the save would delete newly typed text.
 */
export default function AboutDialog({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  const isSaving = useIsMutating({ mutationKey: saveKey }) > 0;
  return (
    <Dialog title="Edit About Section" isOpen={isOpen} onClose={() => isSaving || onClose()}>
      <AboutForm onClose={onClose} />
    </Dialog>
  );
}

/** Loads the Markdown each time, because pages have only the rendered text. */
function AboutForm({ onClose }: { onClose(): void }) {
  const query = useQuery({
    ...operationQuery(useCall(), 'getSettings', {}),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  if (query.data?.about.content !== undefined) {
    const { content, version = '' } = query.data.about;
    return <AboutText content={content} version={version} onClose={onClose} />;
  }
  if (query.isFetching) return <p className="status">Loading...</p>;
  return <LoadFailed text="Failed to load the About text." error={query.error} onRetry={query.refetch} />;
}

type AboutTextProps = { content: string; version: string; onClose(): void };

/** The text as it is edited, stored with each change, and saving it. */
function useAboutDraft({ content, version: latest, onClose }: AboutTextProps) {
  const userId = useViewer().user?.id ?? '';
  const { call, client } = useOperations();
  const [draft, setDraft] = useState(() => storedDraft(userId));
  const [isRestored] = useState(draft !== null && draft.text !== content);
  /** The text that somebody else has saved meanwhile, once a save was refused because of it. */
  const [theirs, setTheirs] = useState<string>();
  const { text, version } = draft ?? { text: content, version: latest };
  useEffect(() => {
    if (draft !== null) writeStorage('sessionStorage', draftKey(userId), JSON.stringify(draft));
  }, [draft, userId]);
  const finish = () => {
    writeStorage('sessionStorage', draftKey(userId), null);
    onClose();
  };
  const save = useMutation({
    mutationKey: saveKey,
    mutationFn: () => call('saveAbout', { content: text, version }),
    onSuccess: ({ about: { html, excerpt } }) => {
      client.setQueryData<Output<'getSettings'>>(
        settingsQuery(call).queryKey,
        settings => settings && { ...settings, about: { html, excerpt } },
      );
      finish();
    },
    onError: async error => {
      if (!(error instanceof AppError) || error.code !== 'aborted') return;
      const current = await call('getSettings', {}).catch(() => undefined);
      if (current === undefined) return;
      const { content: saved = '', version: now = '' } = current.about;
      setTheirs(saved);
      setDraft({ text, version: now });
    },
  });
  return {
    text,
    setText: (next: string) => setDraft({ text: next, version }),
    isRestored,
    theirs,
    save,
    finish,
  };
}

function AboutText(props: AboutTextProps) {
  const { text, setText, isRestored, theirs, save, finish } = useAboutDraft(props);
  const textarea = useRef<HTMLTextAreaElement>(null);
  // When the dialog opened, there was no field to focus yet.
  useEffect(() => textarea.current?.focus(), []);
  return (
    <form className="form" onSubmit={onForm(() => save.mutate())}>
      {save.isError && (
        <Notice text={`Failed to save the About text. ${save.error.message}`} onDismiss={save.reset} />
      )}
      <div className="field">
        <textarea
          ref={textarea}
          className="input"
          dir="auto"
          aria-label="About"
          aria-describedby="about-hint"
          placeholder="Write something about yourself..."
          maxLength={contentMaxCharacters}
          // The dialog closes after the save: text typed during it would be lost.
          readOnly={save.isPending}
          value={text}
          onChange={event => setText(event.target.value)}
        />
        <p className="hint" id="about-hint">
          {isRestored ? 'Unsaved text from before. Cancel discards it.' : 'You can use Markdown.'}
        </p>
      </div>
      {theirs !== undefined && <TheirText text={theirs} />}
      <div className="acts">
        <button type="button" className="button" disabled={save.isPending} onClick={finish}>
          Cancel
        </button>
        <SubmitButton isBusy={save.isPending}>Save</SubmitButton>
      </div>
    </form>
  );
}

/** The text that somebody else saved while this one was edited. */
function TheirText({ text }: { text: string }) {
  return (
    <div className="field">
      <label htmlFor="about-theirs">Saved by somebody else meanwhile</label>
      <textarea
        id="about-theirs"
        className="input"
        dir="auto"
        aria-describedby="about-theirs-hint"
        readOnly
        value={text}
      />
      <p className="hint" id="about-theirs-hint">
        Save replaces it with your text above. Cancel keeps it.
      </p>
    </div>
  );
}
