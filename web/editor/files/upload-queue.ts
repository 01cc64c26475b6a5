import { AppError, isFinal } from '../../../contract/errors.ts';
import { leftBehind, type UploadedFile, type UploadPlace, type uploadFile } from '../../storage/client.ts';
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
  /** Whether a retry cannot help. */
  isFinal?: boolean;
};

/** An uploaded file, with the poster of a video if it was wanted. */
export type Arrived = UploadedFile & { thumbnail: string | null };

/** `wantsPoster`: whether the poster of a video is uploaded, too. */
type Job = {
  file: File;
  wantsPoster: boolean;
  onDone(file: Arrived): void;
  abort: AbortController;
  place?: UploadPlace | undefined;
};

/** A file whose upload an earlier page has begun. */
type Begun = { id: string; place?: UploadPlace };

type Sending = {
  send: typeof uploadFile;
  /** The poster of a video; null if there is none. */
  posterOf(file: File): Promise<File | null>;
  /** Called with the progress of an upload. */
  onPlace?(id: string, place: UploadPlace): void;
};

/** The text for unexpected errors, whose own messages are not for people. */
const unexpected = 'The site is not available right now.';

/** The most files that are sent at a time: three fill a phone's connection. */
const mostAtOnce = 3;

/**
 * Uploads files, a few at a time, in the order in which they were added. They are delivered in that order,
 * too, so that pictures chosen together keep it in the post; a failed one holds up none. Each stays in the
 * list until it has arrived or the author removes it.
 */
export class UploadQueue {
  readonly #sending: Sending;
  readonly #show: (uploads: readonly Upload[]) => void;
  readonly #most: number;
  readonly #jobs = new Map<string, Job>();
  /** The files that are not being sent yet. */
  #waiting: string[] = [];
  readonly #running = new Set<string>();
  /** The files that may still arrive, in order, and those that wait for earlier ones. */
  #order: string[] = [];
  readonly #stored = new Map<string, Arrived>();
  #uploads: readonly Upload[] = [];

  constructor(sending: Sending, show: (uploads: readonly Upload[]) => void, most = mostAtOnce) {
    this.#sending = sending;
    this.#show = show;
    this.#most = most;
  }

  /** Returns the id of the upload. */
  add(file: File, onDone: Job['onDone'], wantsPoster = false, begun?: Begun): string {
    const { id, place } = begun ?? { id: createKey() };
    this.#jobs.set(id, { file, wantsPoster, onDone, abort: new AbortController(), place });
    this.#waiting.push(id);
    this.#order.push(id);
    this.#set([...this.#uploads, { id, name: file.name }]);
    this.#sendNext();
    return id;
  }

  /** Cancels an upload, or removes a failed one from the list. */
  cancel(id: string): void {
    this.#jobs.get(id)?.abort.abort(new AppError('cancelled', 'The upload was cancelled.'));
    // One that is being sent is removed when its request ends.
    if (!this.#running.has(id)) this.#forget(id);
    this.#deliver();
  }

  /** Sends a failed file again, after those that wait. */
  retry(id: string): void {
    const job = this.#jobs.get(id);
    if (job === undefined || this.#order.includes(id)) return;
    this.#jobs.set(id, { ...job, abort: new AbortController() });
    this.#waiting.push(id);
    this.#order.push(id);
    this.#set(this.#uploads.map(upload => (upload.id === id ? { id, name: upload.name } : upload)));
    this.#sendNext();
  }

  /** Ends all uploads when the editor is closed. */
  abandon(): void {
    for (const { abort } of this.#jobs.values()) abort.abort(leftBehind);
  }

  #sendNext(): void {
    while (this.#running.size < this.#most) {
      const id = this.#waiting.shift();
      const job = id === undefined ? undefined : this.#jobs.get(id);
      if (id === undefined || job === undefined) return;
      this.#running.add(id);
      void this.#send(id, job).then(() => {
        this.#running.delete(id);
        this.#deliver();
        this.#sendNext();
      });
    }
  }

  async #send(id: string, { file, wantsPoster, place, abort: { signal } }: Job): Promise<void> {
    try {
      this.#change(id, { share: 0 });
      const stored = await this.#sending.send(file, {
        signal,
        ...(place && { place }),
        onPlace: at => {
          // Sent again after a failure, the file goes on from here.
          const job = this.#jobs.get(id);
          if (job !== undefined) job.place = at;
          this.#sending.onPlace?.(id, at);
        },
        onProgress: share => this.#change(id, { share, isLost: false }),
        onWait: () => this.#change(id, { isLost: true }),
      });
      const thumbnail = wantsPoster ? await this.#sendPoster(file, signal) : null;
      this.#stored.set(id, { ...stored, thumbnail });
    } catch (error) {
      if (signal.aborted) this.#forget(id);
      else {
        const failure = error instanceof AppError ? error.message : unexpected;
        this.#order = this.#order.filter(other => other !== id);
        this.#change(id, { failure, ...(isFinal(error) && { isFinal: true }) });
      }
    }
  }

  /** Delivers the stored files, up to the first one that is not stored. */
  #deliver(): void {
    for (let id = this.#order[0]; id !== undefined; id = this.#order[0]) {
      const file = this.#stored.get(id);
      const job = this.#jobs.get(id);
      if (file === undefined || job === undefined) return;
      this.#forget(id);
      job.onDone(file);
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
    const isOther = (other: string) => other !== id;
    this.#jobs.delete(id);
    this.#stored.delete(id);
    this.#waiting = this.#waiting.filter(isOther);
    this.#order = this.#order.filter(isOther);
    this.#set(this.#uploads.filter(upload => isOther(upload.id)));
  }

  #set(uploads: readonly Upload[]): void {
    this.#uploads = uploads;
    this.#show(uploads);
  }
}
