import type { ReactNode } from 'react';

type SaveBarProps = {
  saving: 'publish' | 'draft' | null;
  isDisabled: boolean;
  /** A published post cannot become a draft again (specification section 4). */
  isPublished: boolean;
  onDraft(): void;
  /** How the text is kept meanwhile. */
  children: ReactNode;
};

/** What ends the writing, at hand however long the text is. */
export function SaveBar({ saving, isDisabled, isPublished, onDraft, children }: SaveBarProps) {
  return (
    <div className="acts">
      <button type="submit" className="button primary" disabled={isDisabled} aria-busy={saving === 'publish'}>
        {saving === 'publish' ? 'Publishing...' : 'Publish'}
      </button>
      <button
        type="button"
        className="button"
        disabled={isDisabled || isPublished}
        aria-busy={saving === 'draft'}
        onClick={onDraft}
      >
        {isPublished
          ? 'Cannot save published post as draft'
          : saving === 'draft'
            ? 'Saving...'
            : 'Save as Draft'}
      </button>
      <p className="kept" role="status">
        {children}
      </p>
    </div>
  );
}
