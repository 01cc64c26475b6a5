import { isFinal } from '../../contract/errors.ts';

type LoadFailedProps = {
  text: string;
  /** Why; null where it is unknown, and may help to try again. */
  error: Error | null;
  onRetry(): void;
};

/** Shown in place of something that could not be loaded: the reason, and a retry button if that may help. */
export function LoadFailed({ text, error, onRetry }: LoadFailedProps) {
  return (
    <div role="alert">
      <p className="status">{text}</p>
      {!isFinal(error) && (
        <button type="button" className="button" onClick={() => onRetry()}>
          Try again
        </button>
      )}
    </div>
  );
}

type QueryFailedProps = { query: { error: Error | null; refetch(): void }; what: string };

/** The same for a query, with its reason; `what` is “the tags”, as in “Failed to load the tags.” */
export function QueryFailed({ query: { error, refetch }, what }: QueryFailedProps) {
  return <LoadFailed text={`Failed to load ${what}. ${error?.message}`} error={error} onRetry={refetch} />;
}
