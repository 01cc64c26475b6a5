import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { contentMaxCharacters } from '../../contract/constants.ts';
import { AppError } from '../../contract/errors.ts';
import type { Output } from '../../contract/operations.ts';
import { operationQuery, useCall } from '../app/operations.tsx';
import { useSettings, useViewer } from '../app/site.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { keep, kept } from '../ui/kept.ts';
import { Notice } from '../ui/notice.tsx';
import { onForm } from '../ui/on-form.ts';

/** What an admin typed, and the text that they typed it over. */
type Draft = { text: string; seen: string };

/** What was neither saved nor cancelled: closing the dialog by Escape or beside it loses nothing. */
const draftKey = (userId: string) => `about-draft:${userId}`;

function keptDraft(userId: string): Draft | null {
  try {
    const draft: unknown = JSON.parse(kept('sessionStorage', draftKey(userId)) ?? 'null');
    const isDraft = typeof draft === 'object' && draft !== null && 'text' in draft && 'seen' in draft;
    return isDraft ? { text: String(draft.text), seen: String(draft.seen) } : null;
  } catch {
    // Not ours: as if nothing had been typed.
    return null;
  }
}

/** The modal 'Edit About Section' (specification section 2, "/"). */
export default function AboutDialog({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  const userId = useViewer().user?.id ?? '';
  return (
    <Dialog title="Edit About Section" isOpen={isOpen} onClose={onClose}>
      <AboutForm userId={userId} onClose={onClose} />
    </Dialog>
  );
}

function AboutForm({ userId, onClose }: { userId: string; onClose(): void }) {
  const { about } = useSettings();
  const call = useCall();
  const client = useQueryClient();
  const [draft, setDraft] = useState(() => keptDraft(userId));
  const [wasKept] = useState(draft !== null && draft.text !== about.content);
  /** What somebody else has saved meanwhile, once a save has met it. */
  const [theirs, setTheirs] = useState<string>();
  const { text, seen } = draft ?? { text: about.content, seen: about.content };
  useEffect(() => {
    if (draft !== null) keep('sessionStorage', draftKey(userId), JSON.stringify(draft));
  }, [draft, userId]);
  const finish = () => {
    keep('sessionStorage', draftKey(userId), null);
    onClose();
  };
  const save = useMutation({
    mutationFn: () => call('saveAbout', { content: text, seenContent: seen }),
    onSuccess: answer => {
      client.setQueryData<Output<'getSettings'>>(
        ['getSettings', {}],
        settings => settings && { ...settings, about: answer.about },
      );
      finish();
    },
    onError: async error => {
      if (!(error instanceof AppError) || error.code !== 'aborted') return;
      const settings = await client.fetchQuery({ ...operationQuery(call, 'getSettings', {}), staleTime: 0 });
      setTheirs(settings.about.content);
      // What was typed meanwhile stays.
      setDraft(before => ({ text: before?.text ?? text, seen: settings.about.content }));
    },
  });
  return (
    <form className="form" onSubmit={onForm(() => save.mutate())}>
      {save.isError && (
        <Notice text={`Failed to save the About text. ${save.error.message}`} onDismiss={save.reset} />
      )}
      <div className="field">
        <textarea
          className="input"
          aria-label="About"
          aria-describedby="about-hint"
          placeholder="Write something about yourself..."
          maxLength={contentMaxCharacters}
          value={text}
          onChange={event => setDraft({ text: event.target.value, seen })}
        />
        <p className="hint" id="about-hint">
          {wasKept
            ? 'This is what you had not saved yet. Cancel goes back to the text as it is.'
            : 'Markdown works here.'}
        </p>
      </div>
      {theirs !== undefined && (
        <div className="field">
          <label htmlFor="about-theirs">As somebody else has saved it</label>
          <textarea
            id="about-theirs"
            className="input"
            aria-describedby="about-theirs-hint"
            readOnly
            value={theirs}
          />
          <p className="hint" id="about-theirs-hint">
            Save replaces it with yours above; Cancel leaves it as it is.
          </p>
        </div>
      )}
      <div className="acts">
        <button type="button" className="button" onClick={finish}>
          Cancel
        </button>
        <button type="submit" className="button primary" disabled={save.isPending} aria-busy={save.isPending}>
          Save
        </button>
      </div>
    </form>
  );
}
