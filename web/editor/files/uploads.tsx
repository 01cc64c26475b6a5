import { useState } from 'react';
import { RowAction } from '../../ui/row-action.tsx';
import type { Upload } from './upload-queue.ts';

type UploadsProps = { uploads: readonly Upload[]; onCancel(id: string): void; onRetry(id: string): void };

/** With more files than this the list names only those in progress or failed. */
const fewUploads = 5;

/** Files that are being uploaded, and those that failed. */
export function Uploads({ uploads, onCancel, onRetry }: UploadsProps) {
  const { total, share } = useBatch(uploads);
  if (uploads.length === 0) return null;
  const left = uploads.filter(({ failure }) => failure === undefined).length;
  const listed = total > fewUploads ? uploads.filter(isUnderWay) : uploads;
  return (
    <>
      {total > fewUploads && left > 0 && (
        <div className="all-uploads">
          <progress max={1} value={share} aria-label="Uploading all files" />
          <p className="sub" role="status">
            {`${total - left} of ${total} uploaded`}
          </p>
        </div>
      )}
      <ul className="uploads" aria-label="Uploads">
        {listed.map(upload =>
          upload.failure === undefined ? (
            <OnItsWay key={upload.id} upload={upload} onCancel={() => onCancel(upload.id)} />
          ) : (
            <li key={upload.id}>
              <p className="name failure" role="alert">
                {upload.name}: {!upload.isFinal && 'Failed to upload media. Please try again. '}
                <span className={upload.isFinal ? undefined : 'sub'}>{upload.failure}</span>
              </p>
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
    </>
  );
}

const isUnderWay = ({ share, failure }: Upload) =>
  failure !== undefined || (share !== undefined && share < 1);

/** The number of files since the list was last empty, and the part of them that has been sent. */
function useBatch(uploads: readonly Upload[]): { total: number; share: number } {
  const [seen, setSeen] = useState<ReadonlySet<string>>(new Set());
  const ids = uploads.map(({ id }) => id);
  const isOver = ids.length === 0 && seen.size > 0;
  if (isOver || ids.some(id => !seen.has(id))) setSeen(isOver ? new Set() : new Set([...seen, ...ids]));
  const open = uploads.reduce(
    (sum, { share = 0, failure }) => sum + (failure === undefined ? 1 - share : 0),
    0,
  );
  return { total: seen.size, share: seen.size === 0 ? 0 : 1 - open / seen.size };
}

function OnItsWay({ upload: { name, share, isLost }, onCancel }: { upload: Upload; onCancel(): void }) {
  return (
    <li>
      <span className="name">{name}</span>
      <progress max={1} value={share ?? 0} aria-label={`Uploading ${name}`} />
      <span className="sub">
        {/* Not the share: a screen reader would speak each percent of three files. The bar has it. */}
        <span role="status">
          {isLost && <span className="hidden">{name}: </span>}
          {isLost && 'Connection lost. The upload will resume automatically.'}
        </span>
        {share === undefined ? 'Waiting' : !isLost && `${Math.floor(share * 100)} %`}
      </span>
      <RowAction verb="Cancel" name={name} onClick={onCancel} />
    </li>
  );
}
