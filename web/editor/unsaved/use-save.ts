import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useCall } from '../../app/operations.tsx';
import { useDialogs } from '../../ui/dialogs.tsx';
import type { Post } from './draft.ts';
import { type Saving, savePost } from './save-post.ts';

type SaveOptions = {
  /** Called once the server has saved it. */
  onSaved(): Promise<void>;
  onFields(fields: Record<string, string>): void;
  /** The post was saved elsewhere meanwhile. */
  onConflict(theirs: Post, isDraft: boolean): void;
};

/** Saves a post, and reports the outcome. */
export function useSave({ onSaved, onFields, onConflict }: SaveOptions) {
  const call = useCall();
  const client = useQueryClient();
  const { alert, confirm } = useDialogs();
  const [saving, setSaving] = useState<'publish' | 'draft' | null>(null);
  const askForNew = () =>
    confirm('This post has been deleted. Save your text as a new post?', { action: 'Save as a new post' });

  const save = async (what: Saving) => {
    setSaving(what.isDraft ? 'draft' : 'publish');
    onFields({});
    const outcome = await savePost({ call, askForNew }, what);
    if (outcome.kind === 'saved') {
      await client.invalidateQueries({ refetchType: 'none' });
      // The fields stay inert until the next screen is loaded: what was typed now would be lost.
      return await onSaved();
    }
    setSaving(null);
    if (outcome.kind === 'conflict') onConflict(outcome.theirs, what.isDraft);
    if (outcome.kind !== 'failed') return;
    // The sentence is shown next to its field, or in the status line.
    onFields(outcome.fields);
    await alert('Failed to save post. Please try again.');
  };
  return { saving, save };
}
