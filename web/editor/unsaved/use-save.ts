import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { AppError } from '../../../contract/errors.ts';
import { useCall } from '../../app/operations.tsx';
import { useDialogs } from '../../ui/dialogs.tsx';
import { type Draft, draftOf, inputOf, isSameSave, loadPost, type Post } from './draft.ts';

/** What a save goes over: nothing yet, or a version of a post. `publishedOn` is the date that readers see, empty for a draft. */
export type Base = { postId: string; version: number; publishedOn: string } | null;

type SaveOptions = {
  saveKey: string;
  /** The server has it; the author goes on. */
  onSaved(): Promise<void>;
  onFields(fields: Record<string, string>): void;
  /** Somebody else saved meanwhile. */
  onConflict(theirs: Post, isDraft: boolean): void;
};

/** Saves a post, and finds for every way in which that can fail one in which nothing is lost. */
export function useSave({ saveKey, onSaved, onFields, onConflict }: SaveOptions) {
  const call = useCall();
  const client = useQueryClient();
  const { alert, confirm } = useDialogs();
  const [saving, setSaving] = useState<'publish' | 'draft' | null>(null);

  const write = async (draft: Draft, isDraft: boolean, base: Base, key: string) => {
    const input = inputOf(draft, isDraft);
    if (base === null) await call('createPost', { ...input, saveKey: key });
    else await call('updatePost', { ...input, postId: base.postId, version: base.version });
  };

  /** An answer may have been lost: then the version that stands in the way is what was sent. */
  const settle = async (error: AppError, draft: Draft, isDraft: boolean): Promise<boolean> => {
    const postId = error.details?.postId;
    if (typeof postId !== 'string') return false;
    const post = await loadPost(call, postId);
    if (isSameSave(draft, draftOf(post)) && post.isDraft === isDraft) return true;
    onConflict(post, isDraft);
    return false;
  };

  const save = async (draft: Draft, isDraft: boolean, base: Base) => {
    setSaving(isDraft ? 'draft' : 'publish');
    onFields({});
    try {
      let isSaved = true;
      try {
        await write(draft, isDraft, base, saveKey);
      } catch (error) {
        const code = error instanceof AppError ? error.code : undefined;
        if (error instanceof AppError && code === 'aborted' && error.details?.postId !== undefined) {
          isSaved = await settle(error, draft, isDraft);
        } else if (code === 'not-found' || (code === 'aborted' && base === null)) {
          const question = 'This post has been deleted. Save your text as a new post?';
          if (!(await confirm(question, { action: 'Save as a new post' }))) return;
          // Another key: the old one is that of the deleted post.
          await write(draft, isDraft, null, `${saveKey}-again`);
        } else throw error;
      }
      if (!isSaved) return;
      await client.invalidateQueries({ refetchType: 'none' });
      await onSaved();
    } catch (error) {
      const fields = error instanceof AppError ? (error.details?.fields ?? {}) : {};
      onFields(fields);
      // The sentence for the author stands beside its field, or in the status line.
      if (Object.keys(fields).length === 0 && error instanceof AppError) onFields({ save: error.message });
      await alert('Failed to save post. Please try again.');
    } finally {
      setSaving(null);
    }
  };
  return { saving, save };
}
