/** An error message, read out when it appears. With `onDismiss` it has a button that closes it. */
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
