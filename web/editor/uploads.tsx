import type { Upload } from './use-uploads.ts';

type UploadsProps = { uploads: readonly Upload[]; onCancel(id: string): void; onRetry(id: string): void };

/** Files on their way, and those that did not arrive. */
export function Uploads({ uploads, onCancel, onRetry }: UploadsProps) {
  if (uploads.length === 0) return null;
  return (
    <ul className="uploads" aria-label="Uploads">
      {uploads.map(({ id, name, share, failure }) =>
        failure === undefined ? (
          <li key={id}>
            <span>{name}</span>
            <progress max={1} value={share} aria-label={`Uploading ${name}`} />
            <button
              type="button"
              className="quiet"
              aria-label={`Cancel ${name}`}
              onClick={() => onCancel(id)}
            >
              Cancel
            </button>
          </li>
        ) : (
          <li key={id} role="alert">
            <span>
              {name}: Failed to upload media. Please try again. <span className="sub">{failure}</span>
            </span>
            <button
              type="button"
              className="quiet"
              aria-label={`Try ${name} again`}
              onClick={() => onRetry(id)}
            >
              Try again
            </button>
            <button
              type="button"
              className="quiet"
              aria-label={`Dismiss ${name}`}
              onClick={() => onCancel(id)}
            >
              Dismiss
            </button>
          </li>
        ),
      )}
    </ul>
  );
}
