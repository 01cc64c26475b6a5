import { useEffect, useRef, useState } from 'react';
import { postsRetaggedAtOnce } from '../../../contract/constants.ts';
import { amount, number } from '../../ui/amount.ts';
import { useScript } from '../../ui/use-script.ts';
import { useReport } from '../layout.tsx';
import type { ManagedPost } from './page.tsx';
import type { Selection } from './selection.ts';

type SelectionBarProps = {
  /** The posts on this page of the list. */
  posts: readonly ManagedPost[];
  selection: Selection;
};

/** How many posts are selected, on all pages of the list, and what can be done with them. */
export default function SelectionBar({ posts, selection }: SelectionBarProps) {
  const report = useReport();
  const [isOpen, setOpen] = useState(false);
  const { View: RetagDialog, load } = useScript(() => import('./retag-dialog.tsx'));
  const all = useRef<HTMLInputElement>(null);
  // The button that begins is removed.
  useEffect(() => all.current?.focus(), []);
  const { ids = [] } = selection;
  const onPage = posts.filter(selection.has).length;
  const isTooMany = ids.length > postsRetaggedAtOnce;
  const change = async () => {
    if (await load()) setOpen(true);
    else report.failed('Failed to load the tags. Please try again.', undefined);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is drawn with a frame of its own
    <div className="selecting" role="group" aria-label="Selected posts">
      <label className="choice">
        <input
          ref={all}
          type="checkbox"
          checked={posts.length > 0 && onPage === posts.length}
          onChange={event => selection.select(posts, event.currentTarget.checked)}
        />
        Select all {number(posts.length)} on this page
      </label>
      <span className="sub" role="status">
        {amount(ids.length, 'post')} selected
        {isTooMany && `; at most ${number(postsRetaggedAtOnce)} are changed at once`}
      </span>
      <div className="acts">
        <button type="button" className="quiet" disabled={ids.length === 0 || isTooMany} onClick={change}>
          Change tags
        </button>
        <button type="button" className="quiet" onClick={selection.end}>
          Done
        </button>
      </div>
      {isOpen && RetagDialog !== undefined && <RetagDialog postIds={ids} onClose={() => setOpen(false)} />}
    </div>
  );
}
