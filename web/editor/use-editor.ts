import { type RefObject, useEffect, useEffectEvent, useState } from 'react';
import { shortPostMaxCharacters } from '../../contract/constants.ts';
import { countShortPost } from '../../contract/visible-text.ts';
import { useNavigate } from '../app/navigation.ts';
import { useOperations } from '../app/queries.tsx';
import { routes } from '../app/routes.ts';
import { useViewer } from '../app/site.tsx';
import { useToast } from '../app/toasts.tsx';
import { useLeaveGuard } from '../app/use-leave-guard.ts';
import { useDialogs } from '../ui/dialogs.tsx';
import { withTime } from './date/chosen-date.ts';
import { useEnded } from './files/use-ended.ts';
import { useFiles } from './files/use-files.ts';
import { focusFirst } from './focus-first.ts';
import { tellsNewReaders } from './readers/audience.tsx';
import { savedToast } from './saved-toast.tsx';
import type { Writing } from './text/code-mirror.ts';
import { countedCharacters } from './text/counter.tsx';
import { type Draft, loadPost, type Post } from './unsaved/draft.ts';
import { tagsOf } from './unsaved/draft-tags.ts';
import { type Base, baseOf, isUnsaved } from './unsaved/editor-state.ts';
import { fieldsOverLimit, missingIn, stillTrue } from './unsaved/post-fields.ts';
import { noRoom, waitingText } from './unsaved/restore.tsx';
import { savePost } from './unsaved/save-post.ts';
import { useBrowserCopy } from './unsaved/use-browser-copy.ts';
import { useEditorState } from './unsaved/use-editor-state.ts';
import { useHasNewerVersion } from './unsaved/use-newer-version.ts';
import { useOpenCopy } from './unsaved/use-open-copy.ts';
import { useSaveInPlace } from './use-save-in-place.ts';

export type EditorProps = {
  /** Null for a new post. */
  post: Post | null;
  /** The tags of a new post. */
  begun?: Pick<Post, 'tags' | 'tagIds'>;
  /** Called when a new post waits for a connection, and another one can be written. */
  onWaiting?(): void;
  /** Called when a new post was saved as a draft that is written further. */
  onSaved?(postId: string): void;
};

/** The version that was saved elsewhere meanwhile, and whether the refused save was that of a draft. */
type SaveConflict = { theirs: Post; isDraft: boolean };

/** A post being written: its text and files, and their copy in this browser. */
export function useEditor({ post, begun }: EditorProps, writing: RefObject<Writing | null>) {
  const userId = useViewer().user?.id ?? '';
  const { confirm } = useDialogs();
  const state = useEditorState(userId, post, begun);
  const { draft, date, isQuiet, base, saveKey } = state;
  const files = useFiles(state, writing);
  // A file that was refused for good is none to send later.
  const left = files.uploads.filter(({ isFinal }) => !isFinal);
  const isDirty = isUnsaved(state) || left.length > 0;

  const { kept = [], unkept = [] } = Object.groupBy(left, ({ id }) =>
    files.kept.has(id) ? 'kept' : 'unkept',
  );
  const waiting = [...state.lost, ...unkept.map(({ name }) => name)];
  const written = {
    ...{ draft, date, isQuiet, version: base?.version ?? null, saveKey, uploads: waiting },
    files: kept.map(({ id, name }) => ({ id, name })),
  };
  const copy = useBrowserCopy(state.copyKey, written, isDirty);
  useEnded(left, id => void copy.storeNow().then(() => files.forget(id)));
  const allowLeaving = useLeaveGuard(
    () => isDirty || files.isRecording,
    async isAboutHistory =>
      confirm(leaveText(await copy.storeNow()), {
        isAboutHistory,
        action: 'Leave',
        cancel: 'Stay',
        details: [
          ...kept.map(({ name }) => `${name} is not uploaded yet. It goes on when you restore this text.`),
          ...unkept.map(({ name }) => `${name} is not uploaded. You would have to choose it again.`),
          ...(files.isRecording ? ['The voice message is not attached.'] : []),
        ],
      }),
  );
  useOpenCopy(state.copyKey, allowLeaving);
  const areFilesKept = unkept.length === 0;
  return { state, files, areFilesKept, isDirty, waiting, copy, allowLeaving };
}

export type Written = ReturnType<typeof useEditor>;

/**
 * Saves it, and keeps the result: why it was refused, or what was saved elsewhere meanwhile. `onWaiting` is
 * called when a new post waits for a connection.
 */
export function useSaving(
  written: Written,
  form: RefObject<HTMLFormElement | null>,
  writing: RefObject<Writing | null>,
  { onWaiting: onWaitingNew, onSaved }: Pick<EditorProps, 'onWaiting' | 'onSaved'>,
) {
  const { state, files, areFilesKept, copy, allowLeaving } = written;
  const { call, client } = useOperations();
  const navigate = useNavigate();
  const { alert, confirm } = useDialogs();
  const toast = useToast();
  const [saving, setSaving] = useState<'publish' | 'draft' | null>(null);
  /** The button that was pressed while the text was being saved in place. */
  const [pressed, setPressed] = useState<'publish' | 'draft'>();
  const [refused, setRefused] = useState<{ draft: Draft; fields: Record<string, string> }>();
  const [conflict, setConflict] = useState<SaveConflict>();
  const { draft, date, isQuiet, base, saveKey } = state;
  // Only a new post can wait for a connection.
  const onWaiting = base === null ? onWaitingNew : undefined;
  const characters = draft.type === 'short' ? countShortPost(draft.content, countedCharacters) : 0;
  const isTooLong = characters > shortPostMaxCharacters;
  const errors = refused === undefined ? {} : stillTrue(refused.fields, refused.draft, draft);

  /** Whether the post and its files wait for a connection together, in place of being saved now. */
  const isForLater = onWaiting !== undefined && files.waitingCount > 0 && areFilesKept;

  /** The author may have left while it is saved, or somebody else may have signed in. */
  const isOpen = () => form.current !== null;
  const askForNew = () =>
    confirm('This post has been deleted. Save your text as a new post?', { action: 'Save as a new post' });
  const { isSavingInPlace, ...savingInPlace } = useSaveInPlace(written, {
    ...{ form, isTooLong, askForNew, onMade: onSaved, onConflict: setConflict },
    // After the choice between two versions, the button that was pressed goes on.
    isBusy: saving !== null || conflict !== undefined,
    onRefused: fields => setRefused({ draft, fields }),
  });
  const save = async (isDraft: boolean, replaced: Base) => {
    setSaving(isDraft ? 'draft' : 'publish');
    setRefused(undefined);
    const choices = new FormData(form.current ?? undefined);
    const how = {
      isDraft,
      ...(date !== '' && !isDraft && { date: withTime(date) }),
      ...(isQuiet && !isDraft && { isQuiet }),
    };
    const wait = async () => {
      if (onWaiting === undefined || !(await copy.leaveWaiting(how))) return false;
      allowLeaving();
      toast({ text: waitingText(how) });
      if (isOpen()) onWaiting();
      return true;
    };
    if (isForLater) {
      if (await wait()) return;
      setSaving(null);
      return await alert(noRoom);
    }
    const outcome = await savePost(
      { call, askForNew },
      { ...how, draft, base: replaced, saveKey, tellsNewReaders: choices.has(tellsNewReaders) },
    );
    if (outcome.kind === 'saved') {
      await client.invalidateQueries({ refetchType: 'none' });
      await copy.drop();
      allowLeaving();
      // `saving` stays set, so the fields stay inert until the next screen is loaded: text typed now would be
      // lost.
      // The list as it was narrowed when the post was opened from it.
      if (isOpen()) navigate(routes.posts.href(onSaved === undefined ? window.location.search : ''));
      const saved = savedToast(outcome.post.id, isDraft, replaced, tagsOf(draft));
      const text = isDraft ? draftText(date, isQuiet) : saved.text;
      return toast({ ...saved, text });
    }
    const isLost = outcome.kind === 'failed' && !outcome.isFinal && !navigator.onLine;
    if (isLost && (await wait())) return;
    setSaving(null);
    if (outcome.kind === 'conflict') setConflict({ theirs: outcome.theirs, isDraft });
    if (outcome.kind !== 'failed') return;
    // The sentence is shown next to its field, or in the status line.
    setRefused({ draft, fields: outcome.fields });
    const failed = 'Failed to save post. Please try again.';
    if (!outcome.isUnreached || onWaiting === undefined) return await alert(failed);
    // It could not be stored to wait.
    if (isLost) return await alert(failed).then(() => alert(noRoom));
    const isLater = await confirm(failed, {
      action: 'Send it later',
      cancel: 'OK',
      details: [
        'The site cannot be reached. This browser can keep the post, and send it once the site answers.',
      ],
    });
    if (isLater && !(await wait())) await alert(noRoom);
  };
  const submit = (isDraft: boolean) => {
    if (saving !== null) return;
    if (isSavingInPlace) return setPressed(isDraft ? 'draft' : 'publish');
    const day = form.current?.querySelector<HTMLInputElement>('[type=date]');
    if (!isDraft && day?.validity.valid === false) {
      day.closest('details')?.setAttribute('open', '');
      // The browser says that a day to come cannot be chosen.
      return void day.reportValidity();
    }
    const missing = missingIn(draft);
    // Its files will be its text.
    if (isForLater) delete missing.content;
    setRefused({ draft, fields: missing });
    const unfit = [...Object.keys(missing), ...fieldsOverLimit(draft)];
    focusFirst(unfit, form.current, writing.current);
    if (unfit.length === 0 && !isTooLong) void save(isDraft, base);
  };
  const submitPressed = useEffectEvent((isDraft: boolean) => {
    setPressed(undefined);
    if (conflict === undefined) submit(isDraft);
    else setConflict({ ...conflict, isDraft });
  });
  useEffect(() => {
    if (!isSavingInPlace && pressed !== undefined) submitPressed(pressed === 'draft');
  }, [isSavingInPlace, pressed]);
  const keepMine = ({ theirs, isDraft }: SaveConflict) => {
    setConflict(undefined);
    state.keepMine(theirs);
    // If they have published it, it cannot become a draft again.
    void save(isDraft && theirs.isDraft, baseOf(theirs));
  };
  const endConflict = () => setConflict(undefined);
  const hasNewer = useHasNewerVersion(base);
  const compare = async () => {
    try {
      const theirs = await loadPost(call, base?.postId ?? '');
      setConflict({ theirs, isDraft: theirs.isDraft });
    } catch {
      await alert('Failed to load the saved version. Please try again.');
    }
  };
  return {
    ...{ errors, characters, isTooLong, isForLater, submit },
    saving: isSavingInPlace ? (pressed ?? ('in place' as const)) : saving,
    ...savingInPlace,
    ...{ conflict, endConflict, keepMine, hasNewer, compare },
  };
}

export type Saving = ReturnType<typeof useSaving>;

/** What an author chose for the publication is chosen again when the draft is published. */
function draftText(date: string, isQuiet: boolean): string {
  const lost = [date !== '' && 'the chosen day', isQuiet && 'the choice not to tell subscribers'];
  const without = lost.filter(Boolean).join(' and ');
  return without === '' ? 'Saved as a draft.' : `Saved as a draft, without ${without}.`;
}

function leaveText(isKept: boolean): string {
  return isKept
    ? 'You have unsaved changes. They are kept in this browser only. Leave this page?'
    : 'You have unsaved changes, and this browser has no room to keep them: they will be lost. Leave this page?';
}
