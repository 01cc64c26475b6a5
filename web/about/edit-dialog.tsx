import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { contentMaxCharacters } from '../../contract/limits.ts';
import type { Output } from '../../contract/operations.ts';
import { useCall } from '../app/operations.tsx';
import { useSettings } from '../app/site.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Notice } from '../ui/notice.tsx';
import { onForm } from '../ui/on-form.ts';

/** What was typed and neither saved nor cancelled: closing the dialog by Escape or beside it loses nothing. */
const draftKey = 'about-draft';

/** The modal 'Edit About Section' (specification section 2, "/"). */
export default function AboutDialog({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  return (
    <Dialog title="Edit About Section" isOpen={isOpen} onClose={onClose}>
      <AboutForm onClose={onClose} />
    </Dialog>
  );
}

function AboutForm({ onClose }: { onClose(): void }) {
  const { about } = useSettings();
  const call = useCall();
  const client = useQueryClient();
  const [draft, setDraft] = useState(() => sessionStorage.getItem(draftKey));
  const [wasKept] = useState(draft !== null && draft !== about.content);
  const text = draft ?? about.content;
  const finish = () => {
    sessionStorage.removeItem(draftKey);
    onClose();
  };
  const save = useMutation({
    mutationFn: () => call('saveAbout', { content: text }),
    onSuccess: answer => {
      client.setQueryData<Output<'getSettings'>>(
        ['getSettings', {}],
        settings => settings && { ...settings, about: answer.about },
      );
      finish();
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
          onChange={event => {
            setDraft(event.target.value);
            sessionStorage.setItem(draftKey, event.target.value);
          }}
        />
        <p className="hint" id="about-hint">
          {wasKept
            ? 'This is what you had not saved yet. Cancel goes back to the text as it is.'
            : 'Markdown works here.'}
        </p>
      </div>
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
