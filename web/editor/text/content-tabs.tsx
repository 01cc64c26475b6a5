import { Tabs } from '@base-ui/react/tabs';
import { useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { shortPostMaxCharacters } from '../../../contract/constants.ts';
import { useSettings } from '../../app/site.tsx';
import { number } from '../../ui/amount.ts';
import { dayInWords } from '../date/chosen-date.ts';
import { Preview } from '../readers/preview.tsx';
import { ViewAs } from '../readers/view-as.tsx';
import type { useEditorState } from '../unsaved/use-editor-state.ts';
import { Counter } from './counter.tsx';
import { noWarnings } from './warnings.ts';
import { WritingArea, type WritingAreaProps } from './writing.tsx';

type ContentTabsProps = Omit<WritingAreaProps, 'content' | 'attaches' | 'onWarnings' | 'onShow'> & {
  state: ReturnType<typeof useEditorState>;
  /** The number of visible characters of a short post. */
  characters: number;
  error: string | undefined;
};

/**
 * The id of the preview beside the text. It is read after the inputs: its owner in the accessibility tree is
 * the end of the form.
 */
export const besideId = 'preview-beside';

/** Offers to keep the lines of an essay that would run together. */
function SoftLines({ writing }: Pick<WritingAreaProps, 'writing'>) {
  return (
    <p>
      These lines will run together.{' '}
      <button type="button" className="quiet" onClick={() => writing.current?.keepLines()}>
        Keep the line breaks
      </button>
    </p>
  );
}

/** The most references that a warning names. */
const mostNamed = 5;

/** Readers would see the references as they are written. */
function withoutNoteText(references: readonly string[]): string {
  const more = references.length - mostNamed;
  const named = [...references.slice(0, mostNamed), ...(more > 0 ? [`${number(more)} more`] : [])];
  const names = new Intl.ListFormat('en').format(named);
  const [first = ''] = references;
  return references.length === 1
    ? `${names} has no note. Write it on a line of its own: ${first}: ...`
    : `${names} have no notes. Write each on a line of its own: ${first}: ...`;
}

/** The text of a post and its preview: side by side on a wide page, in tabs on a narrow one. */
export function ContentTabs({ state, writing, characters, error, ...options }: ContentTabsProps) {
  const { draft, base, revision } = state;
  const chosenDay = dayInWords(state.date, useSettings());
  const publishedOn = base?.publishedOn || chosenDay;
  const [{ hasSoftLines, withoutNote }, setWarnings] = useState(noWarnings);
  const [tab, setTab] = useState('write');
  // The text is in a shadow tree, which no label or description of the page reaches.
  useEffect(() => writing.current?.describeError(error), [writing, error]);
  return (
    <Tabs.Root value={tab} onValueChange={setTab}>
      <Tabs.List className="tabs" aria-label="Content">
        <Tabs.Tab value="write">Write</Tabs.Tab>
        <Tabs.Tab value="preview">Preview</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="write" className="side-by-side" keepMounted>
        <div>
          <WritingArea
            key={revision}
            content={draft.content}
            attaches={draft.type === 'short'}
            writing={writing}
            onWarnings={setWarnings}
            onShow={() => {
              if (tab !== 'write') flushSync(() => setTab('write'));
            }}
            {...options}
          />
          <div className="editor-line">
            <p className="hint keys">
              Tab indents in a list. Press Escape, then Tab, to move to the next field.
            </p>
            {draft.type === 'short' && (
              <Counter characters={characters} most={shortPostMaxCharacters} of="A short post" />
            )}
          </div>
          <div className="warnings" role="status">
            {hasSoftLines && draft.type === 'essay' && <SoftLines writing={writing} />}
            {withoutNote.length > 0 && <p>{withoutNoteText(withoutNote)}</p>}
          </div>
          {error !== undefined && (
            <p className="error" role="alert">
              {error}
            </p>
          )}
        </div>
        <section id={besideId} className="beside" aria-label="Preview beside the text">
          <Preview draft={draft} publishedOn={publishedOn} isBeside />
        </section>
      </Tabs.Panel>
      <Tabs.Panel value="preview" className="whole">
        <ViewAs draft={draft} publishedOn={publishedOn} />
      </Tabs.Panel>
    </Tabs.Root>
  );
}
