/** A sentence about what went wrong, read out when it appears. With `onDismiss` it stays until it has been read. */
export function Notice({ text, onDismiss }: { text: string; onDismiss?(): void }) {
  return (
    <p className="notice bad" role="alert">
      <span>{text}</span>
      {onDismiss !== undefined && (
        <>
          {' '}
          <button type="button" className="quiet" onClick={onDismiss}>
            Dismiss
          </button>
        </>
      )}
    </p>
  );
}
