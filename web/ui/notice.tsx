import type { MouseEvent } from 'react';

/** An error message, read out when it appears. With `onDismiss` it has a button that closes it. */
export function Notice({ text, onDismiss }: { text: string; onDismiss?(): void }) {
  const dismiss = ({ currentTarget }: MouseEvent) => {
    // The focused button is removed. The page does not scroll.
    currentTarget.closest<HTMLElement>('[role=dialog], main')?.focus({ preventScroll: true });
    onDismiss?.();
  };
  return (
    <p className="notice bad" role="alert">
      <span>{text}</span>
      {onDismiss !== undefined && (
        <span>
          {' '}
          <button type="button" className="quiet" onClick={dismiss}>
            Dismiss
          </button>
        </span>
      )}
    </p>
  );
}
