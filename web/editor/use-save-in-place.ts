import { type RefObject, useState } from 'react';
import { useOperations } from '../app/queries.tsx';
import { tellsNewReaders } from './readers/audience.tsx';
import type { Draft, Post } from './unsaved/draft.ts';
import { isUnsaved } from './unsaved/editor-state.ts';
import { fieldsOverLimit, missingIn } from './unsaved/post-fields.ts';
import { savePost } from './unsaved/save-post.ts';
import type { Written } from './use-editor.ts';

type SaveInPlaceOptions = {
  form: RefObject<HTMLFormElement | null>;
  isTooLong: boolean;
  /** Whether one of the buttons saves it, or its author chooses between two versions. */
  isBusy: boolean;
  askForNew(): Promise<boolean>;
  /** Called with the sentences by field of a text that was refused; with none when another save begins. */
  onRefused(fields: Record<string, string>): void;
  onConflict(conflict: { theirs: Post; isDraft: boolean }): void;
  /** Called with the id of a post that was new. */
  onMade: ((postId: string) => void) | undefined;
};

const failed = 'Failed to save post. Please try again.';

/**
 * Saves the text while the author goes on writing: a published post as the button Save does, everything else
 * as a draft. It never publishes.
 */
export function useSaveInPlace({ state, files, copy }: Written, options: SaveInPlaceOptions) {
  const { call, client } = useOperations();
  const [isSaving, setSaving] = useState(false);
  const [savedAt, setSavedAt] = useState<number>();
  const [unsaved, setUnsaved] = useState<{ draft: Draft; problem: string }>();
  const { draft, base, saveKey } = state;
  const save = async () => {
    // What the buttons wait for is shown beside them.
    if (options.isBusy || isSaving || files.isUploading || files.isRecording) return;
    // Nobody is asked whether the post is still there, so nothing is said of it.
    if (!isUnsaved(state)) return;
    const missing = missingIn(draft);
    options.onRefused(missing);
    const [problem] = Object.values(missing);
    if (problem !== undefined) return setUnsaved({ draft, problem: `Not saved. ${problem}` });
    if (options.isTooLong || fieldsOverLimit(draft).length > 0)
      return setUnsaved({ draft, problem: 'Not saved: it is too long.' });
    setUnsaved(undefined);
    setSaving(true);
    await send().finally(() => setSaving(false));
  };
  const send = async () => {
    const isDraft = !base?.publishedOn;
    const isTold = new FormData(options.form.current ?? undefined).has(tellsNewReaders);
    const outcome = await savePost(
      { call, askForNew: options.askForNew },
      { draft, isDraft, base, saveKey, tellsNewReaders: isTold },
    );
    if (outcome.kind === 'conflict') return options.onConflict({ theirs: outcome.theirs, isDraft });
    if (outcome.kind === 'declined') return undefined;
    if (outcome.kind === 'failed') {
      options.onRefused(outcome.fields);
      return setUnsaved({ draft, problem: failed });
    }
    const { post } = outcome;
    await client.invalidateQueries({ refetchType: 'none' });
    // The author has left meanwhile: a newer text is offered again.
    if (options.form.current === null) return await copy.dropIf(draft);
    // A copy that is being stored must not be left under the old key.
    await copy.storeNow();
    state.savedAs(draft, post);
    setSavedAt(Date.now());
    if (post.id === base?.postId) return undefined;
    await copy.dropMoved();
    return options.onMade?.(post.id);
  };
  return {
    isSavingInPlace: isSaving,
    saveInPlace: () => void save(),
    inPlace: { savedAt, problem: unsaved?.draft === draft ? unsaved.problem : '' },
  };
}
