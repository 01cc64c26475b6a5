import { type DragEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { shortPostMaxCharacters } from '../../contract/constants.ts';
import { countCharacters } from '../../contract/text.ts';
import { useNavigate } from '../app/navigation.ts';
import { routes } from '../app/routes.ts';
import { useViewer } from '../app/site.tsx';
import { useDialogs } from '../ui/dialogs.tsx';
import { Notice } from '../ui/notice.tsx';
import { Fields } from './fields.tsx';
import { useFiles } from './files/use-files.ts';
import { fieldsOverLimit, focusFirst, missingIn } from './missing.ts';
import { Audience } from './readers/audience.tsx';
import type { Writing } from './text/code-mirror.ts';
import { countedCharacters } from './text/counter.tsx';
import { copyKey } from './unsaved/browser-copy.ts';
import { Conflict } from './unsaved/conflict.tsx';
import type { CopyState } from './unsaved/copy-writer.ts';
import type { Post } from './unsaved/draft.ts';
import { baseOf, isUnsaved } from './unsaved/editor-state.ts';
import { Restore } from './unsaved/restore.tsx';
import { SaveBar } from './unsaved/save-bar.tsx';
import { useBrowserCopy } from './unsaved/use-browser-copy.ts';
import { useEditorState } from './unsaved/use-editor-state.ts';
import { useLeaveGuard } from './unsaved/use-leave-guard.ts';
import type { CopyOutcome } from './unsaved/use-offered-copies.ts';
import { useOpenCopy } from './unsaved/use-open-copy.ts';
import { useSave } from './unsaved/use-save.ts';

export type EditorProps = {
  /** Null for a new post. */
  post: Post | null;
};

/** What was saved elsewhere meanwhile, and whether the refused save was that of a draft. */
type SaveConflict = { theirs: Post; isDraft: boolean };

/** Why a copy cannot replace the current text. */
const noRoom = 'This browser has no room left to keep the text that you see. Copy it somewhere else first.';

/** What the author is told of an offered copy. */
const refusals: Record<CopyOutcome, string | null> = {
  done: null,
  'no room': noRoom,
  'open elsewhere': 'This text is open in another tab.',
  gone: 'This text was saved or discarded in another tab.',
};

/** A post while it is written: its text and files, and the copy of them in this browser. */
function useEditor(post: Post | null, writing: RefObject<Writing | null>) {
  const userId = useViewer().user?.id ?? '';
  const { confirm } = useDialogs();
  const state = useEditorState(userId, post);
  const { draft, base, saveKey } = state;
  const files = useFiles(draft, state.edit, writing);
  const isDirty = isUnsaved(state) || files.uploads.length > 0;

  const place = { userId, postId: post?.id ?? null };
  const version = base?.version ?? null;
  const waiting = [...state.lost, ...files.uploads.map(({ name }) => name)];
  const copy = useBrowserCopy(place, { draft, version, saveKey, uploads: waiting, isDirty });
  const allowLeaving = useLeaveGuard(isDirty, async () =>
    confirm(leaveText(await copy.storeNow()), {
      action: 'Leave',
      cancel: 'Stay',
      details: files.uploads.map(({ name }) => `${name} is not uploaded. You would have to choose it again.`),
    }),
  );
  useOpenCopy(copyKey(userId, place.postId, saveKey), allowLeaving);
  return { state, files, isDirty, waiting, copy, allowLeaving };
}

type Written = ReturnType<typeof useEditor>;

/** Saves it, and keeps what came of that: why it was refused, or what was saved elsewhere meanwhile. */
function useSaving(
  { state, copy, allowLeaving }: Written,
  form: RefObject<HTMLFormElement | null>,
  writing: RefObject<Writing | null>,
) {
  const navigate = useNavigate();
  const [errors, setErrors] = useState<Record<string, string>>({});
  const [conflict, setConflict] = useState<SaveConflict>();
  const { draft, base, saveKey } = state;
  const { saving, save } = useSave({
    onSaved: async () => {
      await copy.drop();
      allowLeaving();
      navigate(routes.posts.href());
    },
    onFields: setErrors,
    onConflict: (theirs, isDraft) => setConflict({ theirs, isDraft }),
  });
  const characters = draft.type === 'short' ? countCharacters(draft.content, countedCharacters) : 0;
  const isTooLong = characters > shortPostMaxCharacters;

  const submit = (isDraft: boolean) => {
    if (saving !== null) return;
    const missing = missingIn(draft);
    setErrors(missing);
    const unfit = [...Object.keys(missing), ...fieldsOverLimit(draft)];
    focusFirst(unfit, form.current, writing.current);
    if (unfit.length === 0 && !isTooLong) void save({ draft, isDraft, base, saveKey });
  };
  const keepMine = ({ theirs, isDraft }: SaveConflict) => {
    setConflict(undefined);
    state.keepMine(theirs);
    // If they have published it, it cannot become a draft again.
    void save({ draft, isDraft: isDraft && theirs.isDraft, base: baseOf(theirs), saveKey });
  };
  const endConflict = () => setConflict(undefined);
  return { errors, saving, characters, isTooLong, submit, conflict, endConflict, keepMine };
}

type Saving = ReturnType<typeof useSaving>;

export function Editor({ post }: EditorProps) {
  const form = useRef<HTMLFormElement>(null);
  const writing = useRef<Writing>(null);
  const written = useEditor(post, writing);
  const saving = useSaving(written, form, writing);
  const { state, files } = written;
  const isBusy = saving.saving !== null;
  const [restored, setRestored] = useState(0);
  useEffect(() => {
    if (restored > 0) writing.current?.focus();
  }, [restored]);
  const onDrop = (event: DragEvent) => {
    // The text and the attachments take their own. The browser would open a file that is dropped beside them in place of
    // the page; one that is dropped on a dialog over the editor is for nobody.
    if (event.defaultPrevented || event.dataTransfer.files.length === 0) return;
    event.preventDefault();
    const isInside = event.currentTarget.contains(event.target as Node);
    if (isInside && !isBusy) writing.current?.take(event.dataTransfer);
  };
  return (
    <form
      ref={form}
      className="editor"
      noValidate
      aria-busy={isBusy}
      onSubmit={event => {
        event.preventDefault();
        saving.submit(false);
      }}
      onDragOver={event => {
        if (event.dataTransfer.types.includes('Files')) event.preventDefault();
      }}
      onDrop={onDrop}
      onKeyDown={event => {
        // Enter in a line of text does not submit: only the button publishes and saves.
        if (event.key === 'Enter' && event.target instanceof HTMLInputElement) event.preventDefault();
      }}
    >
      {!isBusy && <Copies state={state} form={form} onRestored={() => setRestored(count => count + 1)} />}
      <Fields
        state={state}
        files={files}
        writing={writing}
        characters={saving.characters}
        errors={saving.errors}
        isBusy={isBusy}
      />
      <Decision {...written} {...saving} />
      <Conflicts {...written} {...saving} />
    </form>
  );
}

type CopiesProps = Pick<Written, 'state'> & { form: RefObject<HTMLFormElement | null>; onRestored(): void };

/** Asks what to do with the copies of earlier editors, one after another. */
function Copies({ state, form, onRestored }: CopiesProps) {
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
  return <Restore copy={copy} onRestore={restore} onDiscard={discard} />;
}

/** Who will read the post, and the buttons that save it. */
function Decision({ state, files, copy, isDirty, errors, saving, isTooLong, submit }: Written & Saving) {
  const { draft, saved, base } = state;
  const isPublished = (base?.publishedOn ?? '') !== '';
  return (
    <div className="decision">
      <Audience draft={draft} published={isPublished ? saved : null} />
      {errors.save !== undefined && <Notice text={errors.save} />}
      <SaveBar
        saving={saving}
        isDisabled={files.isUploading || isTooLong}
        isPublished={isPublished}
        onDraft={() => submit(true)}
      >
        {files.isUploading ? 'Waiting for uploads...' : copyText(copy.state, isDirty)}
      </SaveBar>
    </div>
  );
}

function Conflicts({ state, waiting, conflict, endConflict, keepMine }: Written & Saving) {
  const { alert } = useDialogs();
  if (conflict === undefined) return null;
  return (
    <Conflict
      mine={state.draft}
      theirs={conflict.theirs}
      onClose={endConflict}
      onTakeTheirs={async () => {
        if (await state.takeTheirs(conflict.theirs, waiting)) endConflict();
        else await alert(noRoom);
      }}
      onKeepMine={() => keepMine(conflict)}
    />
  );
}

function leaveText(isKept: boolean): string {
  return isKept
    ? 'You have unsaved changes. They are kept in this browser only. Leave this page?'
    : 'You have unsaved changes, and this browser has no room to keep them: they will be lost. Leave this page?';
}

function copyText(state: CopyState, isDirty: boolean): string {
  if (state === 'failed') return 'No space left in this browser for unsaved text';
  return state === 'stored' && isDirty ? 'Saved in this browser' : '';
}
