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
  const [{ mine: ours, theirs: others }] = useState(() => differences(mine.content, saved.content));
  return (
    <Dialog title="This post was saved elsewhere since you opened it" isOpen onClose={onClose}>
      <div className="versions">
        <Version name="Your version (not saved)" draft={mine} pieces={ours} />
        <Version name="Saved version" draft={saved} pieces={others} />
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

type VersionProps = { name: string; draft: Draft; pieces: readonly Piece[] };

/** A version, of whose text only what differs is shown. */
function Version({ name, draft, pieces }: VersionProps) {
  return (
    <section>
      <h3>{name}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by keyboard */}
      <div className="version" dir="auto" tabIndex={0}>
        {draft.type === 'essay' && (
          <>
            <strong>{draft.title}</strong>
            <p>{draft.description}</p>
          </>
        )}
        {pieces.map((piece, at) => (
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
      {piece.words.map(({ text, isOwn }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the words never change
        <Fragment key={at}>{isOwn ? <mark>{text}</mark> : text}</Fragment>
      ))}
    </pre>
  );
}
