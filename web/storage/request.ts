import { AppError, type ErrorCode } from '../../contract/errors.ts';
import { loggedOutBefore, tooLargeForProxy } from './proxy.ts';

type Step = {
  command: string;
  headers?: Record<string, string>;
  body?: Blob | string;
  /** Called with the bytes of the body that have been sent. */
  onSent?(bytes: number): void;
  signal?: AbortSignal | undefined;
};

type Answer = { body: string; headers: (name: string) => string | null };

/** The meaning of a final refusal of the storage service (specification section 8). */
const refusals: Readonly<Record<number, [ErrorCode, string]>> = {
  401: ['unauthenticated', 'Please log in again to upload files.'],
  402: ['resource-exhausted', 'There is no space left for files.'],
  403: ['permission-denied', 'You don’t have permission to upload files here.'],
  404: ['not-found', 'This upload no longer exists. Please upload the file again.'],
  // Our server names the largest size; this is the answer of a proxy.
  413: ['out-of-range', tooLargeForProxy],
};

/**
 * A request of the storage protocol. Throws AppError: `unavailable` for temporary failures (no connection, a
 * timeout, an error of the server), otherwise the server's refusal. It uses XMLHttpRequest because `fetch`
 * does not report upload progress.
 */
export function send(
  url: string,
  { command, headers = {}, body = '', onSent, signal }: Step,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const cancel = () => request.abort();
    request.open('POST', url);
    request.setRequestHeader('x-goog-upload-command', command);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    if (onSent !== undefined) request.upload.onprogress = ({ loaded }) => onSent(loaded);
    request.onload = () => {
      const { status, responseText } = request;
      // The request was redirected to the log-in page of a proxy.
      if (request.responseURL !== new URL(url, window.location.href).href) return reject(loggedOutBefore());
      if (status === 200)
        return resolve({ body: responseText, headers: name => request.getResponseHeader(name) });
      if (status === 408 || status === 429 || status >= 500) return reject(unavailable());
      const [code, sentence] = refusals[status] ?? ['invalid-argument', 'This file was refused.'];
      reject(new AppError(code, messageOf(responseText) ?? sentence));
    };
    request.onerror = () => reject(unavailable());
    request.onabort = () => reject(signal?.reason);
    request.onloadend = () => signal?.removeEventListener('abort', cancel);
    if (signal?.aborted) return reject(signal.reason);
    signal?.addEventListener('abort', cancel);
    request.send(body);
  });
}

function unavailable(): AppError {
  return new AppError('unavailable', 'The server cannot be reached.');
}

/** Our server's sentence; undefined if something else has answered. */
function messageOf(json: string): string | undefined {
  try {
    const { error } = JSON.parse(json) as { error?: { message?: unknown } };
    return typeof error?.message === 'string' ? error.message : undefined;
  } catch {
    return undefined;
  }
}
