import { Tabs } from '@base-ui/react/tabs';
import { useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import {
  attachmentsPerPost,
  descriptionMaxCharacters,
  shortPostMaxCharacters,
  titleMaxCharacters,
} from '../../contract/limits.ts';
import { countCharacters } from '../../contract/text.ts';
import { useViewer } from '../app/site.tsx';
import { useDialogs } from '../ui/dialogs.tsx';
import { Notice } from '../ui/notice.tsx';
import { Attachments } from './attachments.tsx';
import { Audience } from './audience.tsx';
import { copyKey, dropCopy, keepCopy, type StoredCopy } from './browser-copy.ts';
import type { Writing } from './code-mirror.ts';
import { Conflict } from './conflict.tsx';
import { Counter, countedCharacters } from './counter.tsx';
import { type Draft, draftOf, emptyDraft, isSameDraft, type Post } from './draft.ts';
import { createKey } from './key.ts';
import { Line } from './line.tsx';
import { Preview } from './preview.tsx';
import { Restore } from './restore.tsx';
import { SaveBar } from './save-bar.tsx';
import { TagEntry } from './tag-entry.tsx';
import { TypeToggle } from './type-toggle.tsx';
import { Uploads } from './uploads.tsx';
import { useBrowserCopy } from './use-browser-copy.ts';
import { useLeaveGuard } from './use-leave-guard.ts';
import { useLeftCopies } from './use-left-copies.ts';
import { type Base, useSave } from './use-save.ts';
import { type Arrived, useUploads } from './use-uploads.ts';
import { ViewAs } from './view-as.tsx';
import { WritingArea } from './writing.tsx';

export type EditorProps = {
  /** Null for a new one. */
  post: Post | null;
};

function baseOf(post: Post | null): Base {
  return post && { postId: post.id, version: post.version, isPublished: !post.isDraft };
}

/** What a post still lacks, by field; the server says the same. */
function missingIn(draft: Draft): Record<string, string> {
  return {
    ...(draft.type === 'essay' &&
      draft.title.trim() === '' && { title: 'A title is required for an essay.' }),
    ...(draft.type === 'essay' &&
      draft.description.trim() === '' && { description: 'A description is required for an essay.' }),
    ...(draft.content.trim() === '' && { content: 'Content is required.' }),
  };
}

export function Editor({ post }: EditorProps) {
  const userId = useViewer().user?.id ?? '';
  const { confirm } = useDialogs();
  const navigate = useNavigate();
  const [draft, setDraft] = useState(() => (post === null ? emptyDraft : draftOf(post)));
  const [saved, setSaved] = useState(draft);
  const [base, setBase] = useState(() => baseOf(post));
  const [saveKey, setSaveKey] = useState(createKey);
  // Rises when another text takes the place of the one that CodeMirror holds.
  const [revision, setRevision] = useState(0);
  const [fields, setFields] = useState<Record<string, string>>({});
  const [copies, setCopies] = useLeftCopies(userId, post, draft, saveKey);
  /** Files that were on their way when the text was left. */
  const [lost, setLost] = useState<readonly string[]>([]);
  const [conflict, setConflict] = useState<{ theirs: Post; isDraft: boolean }>();
  const writing = useRef<Pick<Writing, 'focus' | 'append'>>(null);
  const form = useRef<HTMLFormElement>(null);
  const { uploads, isUploading, ...files } = useUploads();
  const isDirty = !isSameDraft(draft, saved) || uploads.length > 0;
  const change = (part: Partial<Draft>) => setDraft(before => ({ ...before, ...part }));

  const place = { userId, postId: post?.id ?? null };
  const version = base?.version ?? null;
  const waiting = [...lost, ...uploads.map(({ name }) => name)];
  const copy = useBrowserCopy(place, { draft, version, saveKey, uploads: waiting, isDirty });
  const allowLeaving = useLeaveGuard(isDirty, () =>
    confirm('You have unsaved changes. They stay in this browser, but are not saved. Leave this page?', {
      action: 'Leave',
      cancel: 'Stay',
    }),
  );
  const { saving, save } = useSave({
    saveKey,
    onSaved: async () => {
      await copy.drop();
      allowLeaving();
      navigate('/admin/posts');
    },
    onFields: setFields,
    onConflict: (theirs, isDraft) => setConflict({ theirs, isDraft }),
  });
  const characters = draft.type === 'short' ? countCharacters(draft.content, countedCharacters) : 0;
  const isTooLong = characters > shortPostMaxCharacters;
  const isBusy = saving !== null;
  const isPublished = base?.isPublished === true;

  const submit = (isDraft: boolean) => {
    const missing = missingIn(draft);
    setFields(missing);
    if (missing.title !== undefined || missing.description !== undefined) {
      const first = missing.title === undefined ? 'description' : 'title';
      form.current?.querySelector<HTMLElement>(`[name='${first}']`)?.focus();
    } else if (missing.content !== undefined) writing.current?.focus();
    if (Object.keys(missing).length > 0 || isTooLong) return;
    save(draft, isDraft, base);
  };
  const show = (next: Draft) => {
    setDraft(next);
    setRevision(before => before + 1);
  };
  const attach = (file: Arrived) =>
    setDraft(before => ({
      ...before,
      attachments: [...before.attachments, { ...file, description: '' }].slice(0, attachmentsPerPost),
    }));
  const insert = (chosen: File[], mark: Writing['mark']) => {
    for (const file of chosen) {
      if (!/^(image|video)\//.test(file.type)) {
        files.add([file], attach, true);
        continue;
      }
      const put = mark();
      const label = file.name.replaceAll(/[[\]\\`*<]/g, '\\$&');
      files.add([file], ({ url }) => {
        const paragraph = file.type.startsWith('video/')
          ? `[Video: ${label}](${url})`
          : `![${label}](${url})`;
        // The author sees it in the text that stands there now, wherever the other one has gone.
        if (!put(paragraph)) writing.current?.append(paragraph);
      });
    }
  };
  const restore = (stored: StoredCopy) => {
    // Nothing but files was missing: there is no text to keep any more.
    if (isSameDraft(stored.draft, saved)) dropCopy(stored.key);
    show(stored.draft);
    setSaveKey(stored.saveKey);
    // Written over an older version: saving then asks, with both texts.
    setBase(before => before && { ...before, version: stored.version ?? before.version });
    setLost(stored.uploads ?? []);
    setCopies([]);
  };
  const takeTheirs = async (theirs: Post) => {
    // Mine stays, as the copy of an editor that is no more; it is offered at once.
    const saveKey = createKey();
    const key = copyKey(userId, place.postId, saveKey);
    const mine = { draft, savedAt: Date.now(), version: theirs.version, saveKey, uploads: waiting };
    if (await keepCopy(key, mine)) setCopies([{ ...mine, key }]);
    setSaved(draftOf(theirs));
    setBase(baseOf(theirs));
    show(draftOf(theirs));
    setConflict(undefined);
  };

  return (
    <form
      ref={form}
      className="editor"
      noValidate
      aria-busy={isBusy}
      onSubmit={event => {
        event.preventDefault();
        submit(false);
      }}
      onKeyDown={event => {
        // Enter in a line of text goes nowhere: only the button publishes.
        if (event.key === 'Enter' && event.target instanceof HTMLInputElement) event.preventDefault();
      }}
    >
      {copies[0] !== undefined && (
        <Restore
          copy={copies[0]}
          onRestore={restore}
          onDiscard={stored => {
            dropCopy(stored.key);
            setCopies(before => before.filter(other => other !== stored));
          }}
        />
      )}
      {/* What is typed while it is saved would be in no version. */}
      <div className="fields" inert={isBusy}>
        <TypeToggle type={draft.type} onChange={type => change({ type })} />
        {draft.type === 'essay' && (
          <div className="form">
            <Line
              name="title"
              label="Title"
              maxLength={titleMaxCharacters}
              value={draft.title}
              error={fields.title}
              onChange={title => change({ title })}
            />
            <Line
              name="description"
              label="Description"
              maxLength={descriptionMaxCharacters}
              value={draft.description}
              error={fields.description}
              onChange={description => change({ description })}
            />
          </div>
        )}
        <Tabs.Root defaultValue="write">
          <Tabs.List className="tabs" aria-label="Content">
            <Tabs.Tab value="write">Write</Tabs.Tab>
            <Tabs.Tab value="preview">Preview</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="write" className="desk" keepMounted>
            <div>
              <WritingArea
                key={revision}
                ref={writing}
                content={draft.content}
                onChange={content => change({ content })}
                onFiles={insert}
              />
              <div className="editor-line">
                <p className="hint keys">
                  In a list Tab indents; press Escape, then Tab, to go on to the next field.
                </p>
                {draft.type === 'short' && <Counter characters={characters} />}
              </div>
              {fields.content !== undefined && (
                <p className="error" role="alert">
                  {fields.content}
                </p>
              )}
            </div>
            <section className="beside" aria-label="Preview beside the text">
              <Preview draft={draft} />
            </section>
          </Tabs.Panel>
          <Tabs.Panel value="preview" className="whole">
            <ViewAs draft={draft} />
          </Tabs.Panel>
        </Tabs.Root>
        {lost.length > 0 && (
          <Notice
            text={`${new Intl.ListFormat('en').format(lost)} had not arrived when this text was left. Please choose ${lost.length === 1 ? 'it' : 'them'} again.`}
            onDismiss={() => setLost([])}
          />
        )}
        <Uploads uploads={uploads} onCancel={files.cancel} onRetry={files.retry} />
        <Attachments
          attachments={draft.attachments}
          onChange={attachments => change({ attachments })}
          onFiles={chosen => files.add(chosen, attach, true)}
        />
        {fields.attachments !== undefined && (
          <p className="error" role="alert">
            {fields.attachments}
          </p>
        )}
        <TagEntry tags={draft.tags} onChange={tags => change({ tags })} error={fields.tags} />
      </div>
      <Audience tags={draft.tags} publishedTags={isPublished ? saved.tags : null} />
      {fields.save !== undefined && (
        <p className="notice bad" role="alert">
          {fields.save}
        </p>
      )}
      <SaveBar
        saving={saving}
        isDisabled={isBusy || isUploading || isTooLong}
        isPublished={isPublished}
        onDraft={() => submit(true)}
      >
        {isUploading
          ? 'Waiting for uploads...'
          : copy.kept === 'failed'
            ? 'This browser has no room to keep unsaved text'
            : copy.kept === 'kept' && isDirty && 'Saved in this browser'}
      </SaveBar>
      {conflict !== undefined && (
        <Conflict
          mine={draft}
          theirs={conflict.theirs}
          onClose={() => setConflict(undefined)}
          onTakeTheirs={() => takeTheirs(conflict.theirs)}
          onKeepMine={() => {
            const { theirs, isDraft } = conflict;
            setConflict(undefined);
            setBase(baseOf(theirs));
            // What they have published cannot become a draft again.
            save(draft, isDraft && theirs.isDraft, baseOf(theirs));
          }}
        />
      )}
    </form>
  );
}
