import { Fragment, useState } from 'react';
import { amount } from '../../ui/amount.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { TagsEffect } from '../readers/audience.tsx';
import { differences, type Piece } from './differences.ts';
import type { Draft, Post } from './draft.ts';
import { draftOf, linesOf } from './post-fields.ts';

type ConflictProps = {
  mine: Draft;
  theirs: Post;
  onKeepMine(): void;
  onTakeTheirs(): void;
  onClose(): void;
};

/**
 * The dialog when the post was saved meanwhile, by somebody else or by the same author in another tab: it
 * shows both texts, and neither is lost, whichever is chosen.
 */
export function Conflict({ mine, theirs, onKeepMine, onTakeTheirs, onClose }: ConflictProps) {
  const saved = draftOf(theirs);
  const [compared] = useState(() => comparedWith(mine, saved));
  return (
    <Dialog title="This post was saved elsewhere since you opened it" isOpen onClose={onClose}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by keyboard */}
      <div className="versions" tabIndex={0}>
        <Version name="Your version (not saved)" draft={mine} compared={compared.mine} />
        <Version name="Saved version" draft={saved} compared={compared.theirs} />
      </div>
      <p>
        If you use the saved version, yours is kept in this browser. If you keep yours, it replaces the saved
        one.
      </p>
      {!theirs.isDraft && <TagsEffect when="If you keep yours" before={saved} after={mine} />}
      <div className="acts">
        <button type="button" className="button" onClick={onClose}>
          Keep editing
        </button>
        <button type="button" className="button" onClick={onTakeTheirs}>
          Use the saved version
        </button>
        <button type="button" className="button primary" onClick={onKeepMine}>
          Keep my version
        </button>
      </div>
    </Dialog>
  );
}

type Compared = { title: readonly Piece[]; description: readonly Piece[]; content: readonly Piece[] };

/** What each of two versions has that the other has not. */
function comparedWith(mine: Draft, theirs: Draft): { mine: Compared; theirs: Compared } {
  const title = differences(mine.title, theirs.title);
  const description = differences(mine.description, theirs.description);
  const content = differences(mine.content, theirs.content);
  return {
    mine: { title: title.mine, description: description.mine, content: content.mine },
    theirs: { title: title.theirs, description: description.theirs, content: content.theirs },
  };
}

type VersionProps = { name: string; draft: Draft; compared: Compared };

/** A version, of whose text only what differs is shown. */
function Version({ name, draft, compared }: VersionProps) {
  return (
    <section>
      <h3>{name}</h3>
      <div className="version" dir="auto">
        {draft.type === 'essay' && (
          <>
            <strong>
              <Line text={draft.title} pieces={compared.title} />
            </strong>
            <p>
              <Line text={draft.description} pieces={compared.description} />
            </p>
          </>
        )}
        {compared.content.map((piece, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the pieces never change
          <Part key={at} piece={piece} />
        ))}
        {linesOf(draft).map(({ label, words }) => (
          <p key={label} className="sub">
            {label}: {words}
          </p>
        ))}
      </div>
    </section>
  );
}

function Part({ piece }: { piece: Piece }) {
  if ('same' in piece) {
    return <p className="sub">… {amount(piece.same, 'paragraph is', 'paragraphs are')} the same …</p>;
  }
  return (
    <pre>
      <Words {...piece} />
    </pre>
  );
}

/** A title or description, whole, with what differs marked. */
function Line({ text, pieces }: { text: string; pieces: readonly Piece[] }) {
  const piece = pieces.find(one => 'words' in one);
  return piece === undefined ? text : <Words {...piece} />;
}

function Words({ words }: Extract<Piece, { words: unknown }>) {
  return words.map(({ text, isOwn }, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the words never change
    <Fragment key={at}>{isOwn ? <mark>{text}</mark> : text}</Fragment>
  ));
}
