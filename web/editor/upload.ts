import { AppError, type ErrorDetails, errorCodeOf } from '../../contract/errors.ts';

export type UploadedFile = { url: string; name: string; type: string; size: number };

export type UploadOptions = {
  /** Called with the share of the file that has been sent, from 0 to 1. */
  onProgress?(share: number): void;
  signal?: AbortSignal;
};

type Answer = {
  result?: UploadedFile;
  error?: { status?: string; message?: string; details?: ErrorDetails };
};

/**
 * Stores a file of the author, on no post yet. Throws AppError as `call` does, and the signal's reason when cancelled.
 * `fetch` tells nothing of what it has sent, hence the older way.
 */
export function uploadFile(file: File, { onProgress, signal }: UploadOptions = {}): Promise<UploadedFile> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const cancel = () => request.abort();
    request.open('POST', `/files?name=${encodeURIComponent(file.name)}`);
    request.setRequestHeader('content-type', 'application/octet-stream');
    request.responseType = 'json';
    request.upload.onprogress = ({ loaded, total }) => onProgress?.(total === 0 ? 0 : loaded / total);
    request.onload = () => {
      const answer = request.response as Answer | null;
      if (answer?.result !== undefined) return resolve(answer.result);
      const code = errorCodeOf(answer?.error?.status, request.status);
      reject(new AppError(code, answer?.error?.message ?? 'Something went wrong.', answer?.error?.details));
    };
    request.onerror = () => reject(new AppError('unavailable', 'The server cannot be reached.'));
    request.onabort = () => reject(signal?.reason ?? new AppError('cancelled', 'The upload was cancelled.'));
    request.onloadend = () => signal?.removeEventListener('abort', cancel);
    if (signal?.aborted) return reject(signal.reason);
    signal?.addEventListener('abort', cancel);
    // The bytes alone: the type is told by content, and a form of another site cannot send this one.
    request.send(file);
  });
}
