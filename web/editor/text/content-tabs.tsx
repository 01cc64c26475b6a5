import { Tabs } from '@base-ui/react/tabs';
import { useEffect, useMemo } from 'react';
import { shortPostMaxCharacters } from '../../../contract/constants.ts';
import { useLater } from '../../ui/use-later.ts';
import { Preview } from '../readers/preview.tsx';
import { ViewAs } from '../readers/view-as.tsx';
import type { useEditorState } from '../unsaved/use-editor-state.ts';
import { Counter } from './counter.tsx';
import { softLines } from './soft-lines.ts';
import { WritingArea, type WritingAreaProps } from './writing.tsx';

type ContentTabsProps = Omit<WritingAreaProps, 'content' | 'attaches'> & {
  state: ReturnType<typeof useEditorState>;
  /** Of a short post. */
  characters: number;
  error: string | undefined;
};

/**
 * The preview beside the text, which is read after all that is written: what owns it in the accessibility
 * tree is the end of the form.
 */
export const besideId = 'preview-beside';

/** How long typing must pause before the lines are looked at, in milliseconds. */
const restMs = 800;

/** Offers to keep the lines of an essay that would run together. */
function SoftLines({ content, writing }: Pick<WritingAreaProps, 'content' | 'writing'>) {
  const later = useLater(content, restMs);
  const ends = useMemo(() => softLines(later), [later]);
  return (
    <p className="soft-lines" role="status">
      {ends.length > 0 && (
        <span>
          These lines will run together.{' '}
          <button
            type="button"
            className="quiet"
            // The text may have changed since it was looked at.
            onClick={() => writing.current?.keepLines(softLines(content))}
          >
            Keep the line breaks
          </button>
        </span>
      )}
    </p>
  );
}

/** The text of a post and its preview: beside each other on a wide page, behind tabs on a narrow one. */
export function ContentTabs({ state, writing, characters, error, ...options }: ContentTabsProps) {
  const { draft, base, revision } = state;
  const publishedOn = base?.publishedOn ?? '';
  // The text is in a tree of its own, which no label or description of the page reaches.
  useEffect(() => writing.current?.describeError(error), [writing, error]);
  return (
    <Tabs.Root defaultValue="write">
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
          {draft.type === 'essay' && <SoftLines content={draft.content} writing={writing} />}
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
