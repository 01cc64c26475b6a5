import type { RefObject } from 'react';
import { attachmentsPerPost } from '../../contract/constants.ts';
import { datesInWords } from '../app/date.tsx';
import { useSettings } from '../app/site.tsx';
import { Field } from '../ui/field.tsx';
import { Notice } from '../ui/notice.tsx';
import { dayIn, dayInWords, dayOf } from './date/chosen-date.ts';
import { Attachments } from './files/attachments.tsx';
import { Uploads } from './files/uploads.tsx';
import type { useFiles } from './files/use-files.ts';
import { Kind, ShownIn } from './kind.tsx';
import { CardPicture } from './pictures/card-picture.tsx';
import { PicturesInText } from './pictures/pictures.tsx';
import { TagEntry } from './tag-entry.tsx';
import type { Writing } from './text/code-mirror.ts';
import { ContentTabs } from './text/content-tabs.tsx';
import { type Draft, isInTimeline } from './unsaved/draft.ts';
import { withTags } from './unsaved/draft-tags.ts';
import type { useEditorState } from './unsaved/use-editor-state.ts';

type FieldsProps = {
  state: ReturnType<typeof useEditorState>;
  files: ReturnType<typeof useFiles>;
  writing: RefObject<Writing | null>;
  /** The number of visible characters of a short post. */
  characters: number;
  errors: Record<string, string>;
  isBusy: boolean;
};

/** The fields of a post, with its files. */
export function Fields({ state, files, writing, characters, errors, isBusy }: FieldsProps) {
  const { draft, lost } = state;
  const change = (part: Partial<Draft>) => state.edit(before => ({ ...before, ...part }));
  return (
    // Text typed during a save would be lost, so the fields are inert.
    <div className="fields" inert={isBusy}>
      <Kind draft={draft} errors={errors} onChange={change} />
      <ContentTabs
        state={state}
        writing={writing}
        characters={characters}
        error={errors.content}
        onChange={content => change({ content })}
        onFiles={files.insert}
        onChosen={draft.type === 'short' ? files.attach : files.insert}
        pictureOfPost={files.pictureOfPost}
      />
      <PicturesInText
        content={draft.content}
        writing={writing}
        files={files}
        onTurned={(before, after) =>
          state.edit(at => (at.cardPicture === before ? { ...at, cardPicture: after } : at))
        }
      >
        {draft.type === 'essay' && isInTimeline(draft) && (
          <CardPicture
            content={draft.content}
            chosen={draft.cardPicture ?? null}
            onChoose={cardPicture => change({ cardPicture })}
          />
        )}
      </PicturesInText>
      {lost.length > 0 && (
        <Notice
          text={`${new Intl.ListFormat('en').format(lost)} had not finished uploading when you left. Please choose ${lost.length === 1 ? 'it' : 'them'} again.`}
          onDismiss={state.forgetLost}
        />
      )}
      <Uploads uploads={files.uploads} onCancel={files.cancel} onRetry={files.retry} />
      <Attachments
        attachments={draft.attachments}
        onChange={attachments => change({ attachments })}
        onTurned={(url, turned) =>
          state.edit(before => ({
            ...before,
            attachments: before.attachments.map(file => (file.url === url ? { ...file, ...turned } : file)),
          }))
        }
        files={files}
      />
      {errors.attachments !== undefined && (
        <p className="error" role="alert">
          {errors.attachments}
        </p>
      )}
      {files.refused.length > 0 && (
        <Notice
          text={`A post has at most ${attachmentsPerPost} attachments. Not attached: ${new Intl.ListFormat('en').format(files.refused)}.`}
          onDismiss={files.forgetRefused}
        />
      )}
      <TagEntry
        tags={draft.tags}
        onChange={(tags, known) => state.edit(before => withTags(before, tags, known))}
        onKnown={state.renameTags}
        error={errors.tags}
      />
      {draft.type === 'essay' && <ShownIn draft={draft} onChange={change} />}
      {draft.type === 'essay' && isInTimeline(draft) && (
        <label className="choice">
          <input
            type="checkbox"
            checked={draft.mailsBeginning ?? false}
            onChange={event => change({ mailsBeginning: event.target.checked })}
          />
          Mail only its beginning to subscribers
        </label>
      )}
      {(state.base?.publishedOn ?? '') === '' && (
        <EarlierDay date={state.date} isQuiet={state.isQuiet} onChange={state.setDate} />
      )}
    </div>
  );
}

const dayMs = 24 * 60 * 60 * 1_000;

type EarlierDayProps = {
  date: string;
  isQuiet: boolean;
  onChange(date: string, isQuiet?: boolean): void;
};

/** Lets an author publish under an earlier day, and quietly (docs/decisions/0046). */
function EarlierDay({ date, isQuiet, onChange }: EarlierDayProps) {
  const settings = useSettings();
  const words = dayInWords(date, datesInWords(settings));
  return (
    <details>
      <summary>
        <span>
          Date: {words === '' ? 'today' : <bdi>{words}</bdi>}
          {isQuiet && ', without telling subscribers'}
        </span>
      </summary>
      <Field
        name="date"
        type="date"
        className="input"
        label="Day"
        hint="An earlier day that readers see. A draft does not keep it."
        max={dayIn(settings.timeZone, Date.now() - dayMs)}
        value={dayOf(date)}
        onChange={event => onChange(event.target.value)}
      />
      <label className="choice">
        <input type="checkbox" checked={isQuiet} onChange={event => onChange(date, event.target.checked)} />
        Do not tell subscribers
      </label>
    </details>
  );
}
