/** Shown in place of something that could not be loaded: the reason, and a button to try again. */
export function LoadFailed({ text, onRetry }: { text: string; onRetry(): void }) {
  return (
    <div role="alert">
      <p className="status">{text}</p>
      <button type="button" className="button" onClick={() => onRetry()}>
        Try again
      </button>
    </div>
  );
}
