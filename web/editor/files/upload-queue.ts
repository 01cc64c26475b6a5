import { AppError, isFinal } from '../../../contract/errors.ts';
import type { UploadedFile, uploadFile } from '../../storage/client.ts';
import { createKey } from '../../ui/key.ts';

export type Upload = {
  id: string;
  name: string;
  /** From 0 to 1; absent while it waits for others. */
  share?: number;
  /** The connection is lost; the upload resumes once it is back. */
  isLost?: boolean;
  /** Why it failed; absent while it has not failed. */
  failure?: string;
  /** Whether it cannot help to try it again. */
  isFinal?: boolean;
};

/** An uploaded file, with the poster of a video if it was wanted. */
export type Arrived = UploadedFile & { thumbnail: string | null };

/** `wantsPoster`: whether the poster of a video is uploaded, too. */
type Job = { file: File; wantsPoster: boolean; onDone(file: Arrived): void; abort: AbortController };

type Sending = {
  send: typeof uploadFile;
  /** The poster of a video; null if there is none. */
  posterOf(file: File): Promise<File | null>;
};

/** The text for unexpected errors, whose own messages are not for people. */
const unexpected = 'The site is not available right now.';

/**
 * Uploads files one after another in the order in which they were added, so that pictures that were dropped
 * together are in that order in the text. Each stays in the list until it is uploaded or the author removes
 * it.
 */
export class UploadQueue {
  readonly #sending: Sending;
  readonly #show: (uploads: readonly Upload[]) => void;
  readonly #jobs = new Map<string, Job>();
  /** The files to upload; the first one is being sent. */
  #order: string[] = [];
  #uploads: readonly Upload[] = [];
  #isRunning = false;

  constructor(sending: Sending, show: (uploads: readonly Upload[]) => void) {
    this.#sending = sending;
    this.#show = show;
  }

  add(files: readonly File[], onDone: Job['onDone'], wantsPoster = false): void {
    const added = files.map(file => ({ id: createKey(), name: file.name, file }));
    for (const { id, file } of added) {
      this.#jobs.set(id, { file, wantsPoster, onDone, abort: new AbortController() });
      this.#order.push(id);
    }
    this.#set([...this.#uploads, ...added.map(({ id, name }) => ({ id, name }))]);
    void this.#run();
  }

  /** Cancels an upload, or removes a failed one from the list. */
  cancel(id: string): void {
    this.#jobs.get(id)?.abort.abort(new AppError('cancelled', 'The upload was cancelled.'));
    // The one that is being sent is removed when its request ends.
    if (this.#isRunning && this.#order[0] === id) return;
    this.#forget(id);
  }

  /** Sends a failed file again, after those that wait. */
  retry(id: string): void {
    const job = this.#jobs.get(id);
    if (job === undefined || this.#order.includes(id)) return;
    this.#jobs.set(id, { ...job, abort: new AbortController() });
    this.#order.push(id);
    this.#set(this.#uploads.map(upload => (upload.id === id ? { id, name: upload.name } : upload)));
    void this.#run();
  }

  /** Cancels all uploads when the editor is closed. */
  abandon(): void {
    for (const id of this.#order) this.#jobs.get(id)?.abort.abort();
  }

  async #run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    for (let id = this.#order[0]; id !== undefined; id = this.#order[0]) {
      const job = this.#jobs.get(id);
      if (job !== undefined) await this.#send(id, job);
      this.#order = this.#order.filter(other => other !== id);
    }
    this.#isRunning = false;
  }

  async #send(id: string, { file, wantsPoster, onDone, abort: { signal } }: Job): Promise<void> {
    try {
      this.#change(id, { share: 0 });
      const stored = await this.#sending.send(file, {
        signal,
        onProgress: share => this.#change(id, { share, isLost: false }),
        onWait: () => this.#change(id, { isLost: true }),
      });
      const thumbnail = wantsPoster ? await this.#sendPoster(file, signal) : null;
      this.#forget(id);
      onDone({ ...stored, thumbnail });
    } catch (error) {
      if (signal.aborted) this.#forget(id);
      else {
        const failure = error instanceof AppError ? error.message : unexpected;
        this.#change(id, { failure, ...(isFinal(error) && { isFinal: true }) });
      }
    }
  }

  /**
   * Uploads the poster of a video and returns its address; null for a video that this browser cannot show.
   */
  async #sendPoster(file: File, signal: AbortSignal): Promise<string | null> {
    if (!file.type.startsWith('video/')) return null;
    const poster = await this.#sending.posterOf(file);
    return poster === null ? null : (await this.#sending.send(poster, { signal })).url;
  }

  #change(id: string, fields: Partial<Upload>): void {
    this.#set(this.#uploads.map(upload => (upload.id === id ? { ...upload, ...fields } : upload)));
  }

  #forget(id: string): void {
    this.#jobs.delete(id);
    this.#order = this.#order.filter((other, place) => other !== id || (this.#isRunning && place === 0));
    this.#set(this.#uploads.filter(upload => upload.id !== id));
  }

  #set(uploads: readonly Upload[]): void {
    this.#uploads = uploads;
    this.#show(uploads);
  }
}
