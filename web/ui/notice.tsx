/** A sentence about what went wrong, in the way of nothing, that goes when it has been read. */
export function Notice({ text, onDismiss }: { text: string; onDismiss(): void }) {
  return (
    <p className="notice bad" role="alert">
      <span>{text}</span>{' '}
      <button type="button" className="quiet" onClick={onDismiss}>
        Dismiss
      </button>
    </p>
  );
}
