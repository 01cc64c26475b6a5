import type { ReactNode } from 'react';

type SaveBarProps = {
  saving: 'publish' | 'draft' | null;
  /** Whether the text cannot be saved as it is. During a save the buttons keep the focus, and the caller ignores them. */
  isDisabled: boolean;
  /** A published post cannot become a draft again (specification section 4). */
  isPublished: boolean;
  onDraft(): void;
  /** The status of the copy in the browser. */
  children: ReactNode;
};

/** The bar with the buttons to save, always visible however long the text is. */
export function SaveBar({ saving, isDisabled, isPublished, onDraft, children }: SaveBarProps) {
  const [name, nameWhileBusy] = isPublished ? ['Save', 'Saving...'] : ['Publish', 'Publishing...'];
  const draftName = saving === 'draft' ? 'Saving...' : 'Save as Draft';
  return (
    <div className="acts save-bar">
      <button
        type="submit"
        className="button primary"
        disabled={isDisabled}
        aria-disabled={saving !== null}
        aria-busy={saving === 'publish'}
      >
        {saving === 'publish' ? nameWhileBusy : name}
      </button>
      <button
        type="button"
        className="button"
        disabled={isDisabled || isPublished}
        aria-disabled={saving !== null}
        aria-busy={saving === 'draft'}
        onClick={onDraft}
      >
        {isPublished ? 'Cannot save published post as draft' : draftName}
      </button>
      <p className="kept" role="status">
        {children}
      </p>
    </div>
  );
}
