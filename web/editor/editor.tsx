import { type DragEvent, useEffect, useEffectEvent, useRef, useState } from 'react';
import { datesInWords } from '../app/date.tsx';
import { useSettings } from '../app/site.tsx';
import { useDialogs } from '../ui/dialogs.tsx';
import { Notice } from '../ui/notice.tsx';
import { DayOfPhotos } from './date/day-of-photos.tsx';
import { Fields } from './fields.tsx';
import { Audience, audienceText, useAudience } from './readers/audience.tsx';
import { SharedOffer } from './shared-offer.tsx';
import type { Writing } from './text/code-mirror.ts';
import { besideId } from './text/content-tabs.tsx';
import { Conflict } from './unsaved/conflict.tsx';
import type { CopyState } from './unsaved/copy-writer.ts';
import { noRoom, OfferedCopies } from './unsaved/restore.tsx';
import { type EditorProps, type Saving, useEditor, useSaving, type Written } from './use-editor.ts';
import { useSaveKey } from './use-save-key.ts';

export function Editor(props: EditorProps) {
  const form = useRef<HTMLFormElement>(null);
  const writing = useRef<Writing>(null);
  const written = useEditor(props, writing);
  const saving = useSaving(written, form, writing, props);
  const { state, files } = written;
  const isBusy = saving.saving !== null && saving.saving !== 'in place';
  useSaveKey(saving.saveInPlace);
  const [restored, setRestored] = useState(0);
  useEffect(() => {
    if (restored > 0) writing.current?.focus();
  }, [restored]);
  const beginWriting = useEffectEvent(() => {
    // Not where it opens a keyboard over the page, nor if the author has chosen another element meanwhile.
    const isChosen = document.activeElement instanceof HTMLElement && document.activeElement.tabIndex >= 0;
    if (props.post === null && !isChosen && matchMedia('(pointer: fine)').matches) writing.current?.focus();
  });
  useEffect(() => beginWriting(), []);
  const onDrop = (event: DragEvent) => {
    // The text and the attachments handle their own drops. The browser would open a file dropped beside them
    // in place of the page; one dropped on a dialog over the editor is ignored.
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
      {!isBusy && (
        <OfferedCopies state={state} form={form} onRestored={() => setRestored(count => count + 1)} />
      )}
      {!isBusy && props.post === null && <SharedOffer writing={writing} onFiles={files.attach} />}
      <Fields
        state={state}
        files={files}
        writing={writing}
        characters={saving.characters}
        errors={saving.errors}
        isBusy={isBusy}
      />
      <Decision {...written} {...saving} isBusy={isBusy} />
      <Conflicts {...written} {...saving} />
    </form>
  );
}

/**
 * Who will read the post, and the bar with the buttons that save it, always visible however long the text is.
 */
function Decision({
  isBusy,
  state,
  files,
  copy,
  isDirty,
  errors,
  saving,
  isTooLong,
  isForLater,
  submit,
  inPlace,
  hasNewer,
  compare,
}: Written & Saving & { isBusy: boolean }) {
  const { draft, saved, base } = state;
  // A published post cannot become a draft again (specification section 4).
  const isPublished = (base?.publishedOn ?? '') !== '';
  const [name, nameWhileBusy] = isPublished ? ['Save', 'Saving...'] : ['Publish', 'Publishing...'];
  const draftName = saving === 'draft' ? 'Saving...' : 'Save as Draft';
  // During a save the buttons keep the focus, and `submit` ignores them. Pressed while Ctrl+S saves, they
  // save after it.
  const isDisabled = (files.isUploading && !isForLater) || files.isRecording || isTooLong;
  const audience = useAudience(draft).data;
  return (
    <div className="decision" aria-owns={besideId}>
      <Audience draft={draft} published={isPublished ? saved : null} />
      {errors.save !== undefined && <Notice text={errors.save} />}
      <div className="save-bar">
        {!isPublished && <DayOfPhotos taken={files.taken} date={state.date} onChange={state.setDate} />}
        {!isPublished && (
          <p className="readers" id="readers">
            Readers: {audience && audienceText(audience)}
          </p>
        )}
        <div className="acts">
          <button
            type="submit"
            aria-describedby={isPublished ? undefined : 'readers'}
            className="button primary"
            disabled={isDisabled}
            aria-disabled={isBusy}
            aria-busy={saving === 'publish'}
          >
            {saving === 'publish' ? nameWhileBusy : name}
          </button>
          <button
            type="button"
            className="button"
            disabled={isDisabled || isPublished}
            aria-disabled={isBusy}
            aria-busy={saving === 'draft'}
            onClick={() => submit(true)}
          >
            {isPublished ? 'Cannot save published post as draft' : draftName}
          </button>
          <p className="kept" role="status">
            {saving === null && hasNewer && (
              <>
                This post was saved elsewhere.{' '}
                <button type="button" className="quiet" onClick={() => void compare()}>
                  Compare
                </button>{' '}
              </>
            )}
            {files.isUploading
              ? uploadsText(files, isForLater)
              : files.isRecording
                ? 'The voice message is not attached yet.'
                : saving === 'in place'
                  ? 'Saving...'
                  : !hasNewer && <SavedText copy={copy.state} isDirty={isDirty} inPlace={inPlace} />}
          </p>
        </div>
      </div>
    </div>
  );
}

/** Why the post is not sent yet. */
function uploadsText({ uploads, waitingCount }: Written['files'], isForLater: boolean): string {
  if (waitingCount === 0) {
    const left = uploads.filter(({ failure }) => failure === undefined).length;
    return left === 1 ? 'Uploading one file...' : `Uploading: ${left} files left...`;
  }
  const waiting = waitingCount === 1 ? 'One file waits' : `${waitingCount} files wait`;
  return isForLater
    ? `No connection. ${waiting}. Publish, and all is sent when it is back.`
    : `No connection. ${waiting}, and ${waitingCount === 1 ? 'goes on by itself' : 'go on by themselves'}.`;
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

type SavedTextProps = { copy: CopyState; isDirty: boolean } & Pick<Saving, 'inPlace'>;

/** Where the text is: on the site since a time, or in this browser only. */
function SavedText({ copy, isDirty, inPlace: { problem, savedAt } }: SavedTextProps) {
  const { timeZone, dateLanguage } = datesInWords(useSettings());
  if (problem !== '') return problem;
  if (copy === 'failed') return 'No space left in this browser for unsaved text';
  const isInBrowser = copy === 'stored' && isDirty;
  if (savedAt === undefined) return isInBrowser && 'Saved in this browser';
  const time = new Intl.DateTimeFormat(dateLanguage, { timeStyle: 'short', hourCycle: 'h23', timeZone });
  return `Saved ${time.format(savedAt)}${isInBrowser ? ', newer text in this browser' : ''}`;
}
