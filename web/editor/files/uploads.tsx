import { RowAction } from '../../ui/row-action.tsx';
import type { Upload } from './upload-queue.ts';

type UploadsProps = { uploads: readonly Upload[]; onCancel(id: string): void; onRetry(id: string): void };

/** Files that are being uploaded, and those that failed. */
export function Uploads({ uploads, onCancel, onRetry }: UploadsProps) {
  if (uploads.length === 0) return null;
  return (
    <ul className="uploads" aria-label="Uploads">
      {uploads.map(upload =>
        upload.failure === undefined ? (
          <OnItsWay key={upload.id} upload={upload} onCancel={() => onCancel(upload.id)} />
        ) : (
          <li key={upload.id} role="alert">
            <span className="name">
              {upload.name}: {!upload.isFinal && 'Failed to upload media. Please try again. '}
              <span className={upload.isFinal ? undefined : 'sub'}>{upload.failure}</span>
            </span>
            {!upload.isFinal && (
              <button
                type="button"
                className="quiet"
                aria-label={`Try ${upload.name} again`}
                onClick={() => onRetry(upload.id)}
              >
                Try again
              </button>
            )}
            <RowAction verb="Dismiss" name={upload.name} onClick={() => onCancel(upload.id)} />
          </li>
        ),
      )}
    </ul>
  );
}

function OnItsWay({ upload: { name, share, isLost }, onCancel }: { upload: Upload; onCancel(): void }) {
  return (
    <li>
      <span className="name">{name}</span>
      <progress max={1} value={share ?? 0} aria-label={`Uploading ${name}`} />
      <span className="sub" role="status">
        <span className="hidden">{name}: </span>
        {share === undefined
          ? 'Waiting'
          : isLost
            ? 'Connection lost. The upload will resume automatically.'
            : `${Math.floor(share * 100)} %`}
      </span>
      <RowAction verb="Cancel" name={name} onClick={onCancel} />
    </li>
  );
}
