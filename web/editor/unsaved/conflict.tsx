import { Dialog } from '../../ui/dialog.tsx';
import { TagsEffect } from '../readers/audience.tsx';
import { type Draft, draftOf, type Post } from './draft.ts';

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
  return (
    <Dialog title="This post was saved elsewhere since you opened it" isOpen onClose={onClose}>
      <div className="versions">
        <Version
          name="Your version (not saved)"
          {...mine}
          title={mine.type === 'essay' ? mine.title : null}
          description={mine.type === 'essay' ? mine.description : null}
        />
        <Version name="Saved version" {...theirs} />
      </div>
      <p>
        If you use the saved version, yours is kept in this browser. If you keep yours, it replaces the saved
        one.
      </p>
      {!theirs.isDraft && <TagsEffect when="If you keep yours" before={draftOf(theirs)} after={mine} />}
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

type VersionProps = {
  name: string;
  title: string | null;
  description: string | null;
  content: string;
  tags: readonly string[];
  attachments: readonly { name: string; description: string | null; alt?: string | null }[];
};

function Version({ name, title, description, content, tags, attachments }: VersionProps) {
  const files = attachments.map(file => {
    const words = [file.description, file.alt].filter(Boolean).join('; ');
    return words === '' ? file.name : `${file.name} (${words})`;
  });
  return (
    <section>
      <h3>{name}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by keyboard */}
      <div className="version" dir="auto" tabIndex={0}>
        {title !== null && <strong>{title}</strong>}
        {description !== null && <p>{description}</p>}
        <pre>{content}</pre>
        {tags.length > 0 && <p className="sub">Tags: {tags.join(', ')}</p>}
        {files.length > 0 && <p className="sub">Attachments: {files.join(', ')}</p>}
      </div>
    </section>
  );
}
