import { storageOperationRetryMs, storageUploadRetryMs } from '../../contract/constants.ts';
import { AppError } from '../../contract/errors.ts';
import { ownBucket, type StorageMetadata } from '../../contract/files.ts';
import { isLoggedOutBefore, loggedOutBefore } from './proxy.ts';
import { send } from './request.ts';

export type UploadedFile = { url: string; name: string; type: string; size: number };

export type UploadOptions = {
  /** Called with the share of the file that has been sent, from 0 to 1. */
  onProgress?(share: number): void;
  /** Called when the connection is lost and the upload waits to resume. */
  onWait?(): void;
  signal?: AbortSignal;
  /** A folder within `posts/`, such as `imports/`. */
  folder?: string;
  /** The state of an earlier page's upload, to be continued. */
  place?: UploadPlace;
  /** Called with the state of the upload, for a page that continues it later. */
  onPlace?(place: UploadPlace): void;
};

/** The path of an unfinished file, and the address for its parts. */
export type UploadPlace = { path: string; url?: string };

/** The reason for ending an upload that a later page may continue. */
export const leftBehind = new AppError('cancelled', 'The page was left.');

/**
 * The sizes of the first and of the largest part, in bytes: small parts show progress early, large ones need
 * few requests.
 */
const firstPart = 256 * 1024;
const largestPart = 16 * 1024 * 1024;
/** A smaller file is sent in one request first, in bytes. */
const atOnceBelow = 8 * 1024 * 1024;

/**
 * Uploads a file, which belongs to no post yet, as `posts/{timestamp}_{name}` (specification section 9). A
 * small one is sent in one request; if that gets no answer, and for a larger one, it is sent in parts. After
 * a lost connection these resume where they stopped, for up to ten minutes without progress. Throws AppError
 * with the server's sentence, and the signal's reason when cancelled; then the uploaded part is deleted,
 * unless it is left for a later page. A file that is sent again to its path replaces the one that has
 * arrived.
 */
export async function uploadFile(file: File, options: UploadOptions = {}): Promise<UploadedFile> {
  const { signal } = options;
  signal?.throwIfAborted();
  await refuseUnreadable(file);
  const { folder = '' } = options;
  const safeName = file.name.slice(-100).replaceAll(/[^A-Za-z0-9.]/g, '_');
  const { path, url } = options.place ?? { path: `posts/${folder}${Date.now()}_${safeName}` };
  if (url === undefined) options.onPlace?.({ path });
  const address = `/v0/b/${ownBucket}/o?name=${encodeURIComponent(path)}`;
  const stored =
    (url === undefined ? await sendAtOnce(file, address, options) : await sendOn(file, url, options)) ??
    (await sendInParts(file, address, options, path));
  return { url: stored.url, name: file.name, type: stored.contentType, size: Number(stored.size) };
}

/** The path has a name that is safe in every program; people see the original one. */
const metadataOf = (file: File) =>
  JSON.stringify({ contentType: file.type || undefined, metadata: { name: file.name } });

/**
 * Sends a small file in one request. Undefined for a larger one, and without an answer: if the file did
 * arrive, the next one with its path replaces it.
 */
async function sendAtOnce(
  file: File,
  address: string,
  { signal, onProgress, onWait }: UploadOptions,
): Promise<StorageMetadata | undefined> {
  if (file.size >= atOnceBelow) return undefined;
  const boundary = `file-${Math.random().toString(36).slice(2)}`;
  const head = `--${boundary}\r\n\r\n${metadataOf(file)}\r\n--${boundary}\r\n\r\n`;
  try {
    const { body } = await send(address, {
      command: 'upload, finalize',
      headers: {
        'x-goog-upload-protocol': 'multipart',
        'content-type': `multipart/related; boundary=${boundary}`,
      },
      body: new Blob([head, file, `\r\n--${boundary}--`]),
      onSent: sent => onProgress?.(Math.min(1, sent / file.size)),
      signal,
    });
    return JSON.parse(body) as StorageMetadata;
  } catch (error) {
    signal?.throwIfAborted();
    if (!(error instanceof AppError) || error.code !== 'unavailable') throw error;
    onWait?.();
    return undefined;
  }
}

async function sendInParts(
  file: File,
  address: string,
  options: UploadOptions,
  path: string,
): Promise<StorageMetadata> {
  const url = await startUpload(file, address, options);
  options.onPlace?.({ path, url });
  return await sendParts(file, url, options);
}

/**
 * Continues an earlier page's upload. Undefined if the server no longer has it: it deletes it after a day.
 */
async function sendOn(file: File, url: string, options: UploadOptions): Promise<StorageMetadata | undefined> {
  try {
    return await sendParts(file, url, options, true);
  } catch (error) {
    options.signal?.throwIfAborted();
    if (!(error instanceof AppError) || error.code !== 'not-found') throw error;
    return undefined;
  }
}

/** Throws for a dropped folder and for a deleted file, which look like files until they are read. */
async function refuseUnreadable(file: File): Promise<void> {
  if (file.size === 0) throw new AppError('invalid-argument', 'This file is empty.');
  try {
    await file.slice(0, 1).arrayBuffer();
  } catch {
    throw new AppError('invalid-argument', 'This file cannot be read.');
  }
}

async function startUpload(file: File, address: string, options: UploadOptions): Promise<string> {
  const { signal } = options;
  const { headers } = await persistently(storageOperationRetryMs, options, () =>
    send(address, {
      command: 'start',
      body: metadataOf(file),
      headers: {
        'x-goog-upload-protocol': 'resumable',
        'x-goog-upload-header-content-length': String(file.size),
      },
      signal,
    }),
  );
  const url = headers('x-goog-upload-url');
  if (url === null) throw new AppError('internal', 'The upload could not be started.');
  // Only the path, because the page may have been opened under another name of the site.
  const { pathname, search } = new URL(url);
  return pathname + search;
}

/** `isLost`: it is unknown how much the server has received. */
async function sendParts(
  file: File,
  url: string,
  options: UploadOptions,
  isLost = false,
): Promise<StorageMetadata> {
  try {
    return await sendRest(file, url, options, isLost);
  } catch (error) {
    const { signal } = options;
    // Without this the server would delete it after a day.
    if (signal?.aborted && signal.reason !== leftBehind) send(url, { command: 'cancel' }).catch(() => {});
    throw error;
  }
}

async function sendRest(
  file: File,
  url: string,
  options: UploadOptions,
  isLostBefore: boolean,
): Promise<StorageMetadata> {
  const { signal, onProgress } = options;
  let offset = 0;
  let part = firstPart;
  let isLost = isLostBefore;
  return await persistently(storageUploadRetryMs, options, async progressed => {
    if (isLost) {
      // The answer was lost, so the server must be asked how much of the part it has received.
      const { headers } = await send(url, { command: 'query', signal });
      offset = Number(headers('x-goog-upload-size-received') ?? offset);
      part = firstPart;
    }
    for (;;) {
      isLost = true;
      const end = Math.min(offset + part, file.size);
      const isLast = end === file.size;
      const { body } = await send(url, {
        command: isLast ? 'upload, finalize' : 'upload',
        headers: { 'x-goog-upload-offset': String(offset) },
        body: file.slice(offset, end),
        onSent: sent => onProgress?.(Math.min(1, (offset + sent) / file.size)),
        signal,
      });
      isLost = false;
      progressed();
      offset = end;
      part = Math.min(part * 2, largestPart);
      if (isLast) {
        onProgress?.(1);
        return JSON.parse(body) as StorageMetadata;
      }
    }
  });
}

/**
 * Retries an action that fails without a connection or an answer, with growing pauses, until `limitMs` have
 * passed without progress. Time in which the page is hidden does not count: behind a lock screen a phone may
 * give it no network. A refusal of the server is thrown immediately.
 */
async function persistently<T>(
  limitMs: number,
  { signal, onWait }: UploadOptions,
  run: (progressed: () => void) => Promise<T>,
): Promise<T> {
  let since = performance.now();
  let failures = 0;
  const progressed = () => {
    since = performance.now();
    failures = 0;
  };
  const ended = new AbortController();
  document.addEventListener('visibilitychange', progressed, { signal: ended.signal });
  try {
    for (;;) {
      try {
        return await run(progressed);
      } catch (error) {
        signal?.throwIfAborted();
        const isPassing = error instanceof AppError && error.code === 'unavailable';
        const isLate = !document.hidden && performance.now() - since > limitMs;
        if (!isPassing || isLate) throw error;
        // A request that a proxy redirects to another site looks like a lost connection.
        if (await isLoggedOutBefore()) throw loggedOutBefore();
        onWait?.();
        // About 1, 2, 4 ... s, at most a minute, with some randomness.
        await pause(Math.min(1_000 * 2 ** failures, 60_000) * (0.75 + Math.random() / 2), signal);
        failures += 1;
      }
    }
  } finally {
    ended.abort();
  }
}

/**
 * Resolves after this long, or as soon as the browser is online again or shows the page. Throws the signal's
 * reason.
 */
async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const ended = new AbortController();
  const timer = setTimeout(resolve, ms);
  window.addEventListener('online', () => resolve(), { signal: ended.signal });
  document.addEventListener('visibilitychange', () => document.hidden || resolve(), { signal: ended.signal });
  signal?.addEventListener('abort', () => reject(signal.reason), { signal: ended.signal });
  await promise.finally(() => {
    clearTimeout(timer);
    ended.abort();
  });
}
