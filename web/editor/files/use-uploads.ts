import { useEffect, useRef, useState } from 'react';
import { AppError } from '../../../contract/errors.ts';
import { type UploadedFile, uploadFile } from '../../storage/client.ts';
import { createKey } from '../key.ts';
import { posterOf } from './poster.ts';

export type Upload = {
  id: string;
  name: string;
  /** From 0 to 1; absent while others are before it. */
  share?: number;
  /** The connection is lost; it goes on by itself. */
  isLost?: boolean;
  /** Why it failed; absent while it is on its way. */
  failure?: string;
};

/** A file that has arrived, and the picture that a video shows before it plays, when it was asked for. */
export type Arrived = UploadedFile & { thumbnail: string | null };

type Job = {
  id: string;
  file: File;
  wantsPoster: boolean;
  onDone(file: Arrived): void;
  abort: AbortController;
};

/**
 * Files on their way to the server, one after another, in the order they were given: so that pictures that were dropped
 * together stand in the text as they were dropped.
 */
export function useUploads() {
  const [uploads, setUploads] = useState<readonly Upload[]>([]);
  const jobs = useRef<Job[]>([]);
  const failed = useRef(new Map<string, Job>());
  const isRunning = useRef(false);

  const change = (id: string, fields: Partial<Upload>) =>
    setUploads(before => before.map(upload => (upload.id === id ? { ...upload, ...fields } : upload)));
  const forget = (id: string) => setUploads(before => before.filter(upload => upload.id !== id));

  const run = async () => {
    if (isRunning.current) return;
    isRunning.current = true;
    for (let job = jobs.current[0]; job !== undefined; job = jobs.current[0]) {
      const { id, file, wantsPoster, onDone, abort } = job;
      try {
        change(id, { share: 0 });
        const stored = await uploadFile(file, {
          signal: abort.signal,
          onProgress: share => change(id, { share, isLost: false }),
          onWait: () => change(id, { isLost: true }),
        });
        const thumbnail = wantsPoster ? await uploadPoster(file, abort.signal) : null;
        forget(id);
        onDone({ ...stored, thumbnail });
      } catch (error) {
        if (abort.signal.aborted) forget(id);
        else {
          failed.current.set(id, job);
          change(id, { failure: error instanceof AppError ? error.message : unexpected });
        }
      }
      jobs.current = jobs.current.filter(other => other !== job);
    }
    isRunning.current = false;
  };

  // An editor that is gone has no use for what is still on its way.
  useEffect(
    () => () => {
      for (const { abort } of jobs.current) abort.abort();
    },
    [],
  );

  return {
    uploads,
    isUploading: uploads.some(upload => upload.failure === undefined),
    /** `wantsPoster`: a video brings a picture of its beginning along. */
    add: (files: readonly File[], onDone: Job['onDone'], wantsPoster = false) => {
      const added = files.map(file => ({
        id: createKey(),
        file,
        wantsPoster,
        onDone,
        abort: new AbortController(),
      }));
      jobs.current.push(...added);
      setUploads(before => [...before, ...added.map(({ id, file }) => ({ id, name: file.name }))]);
      run();
    },
    cancel: (id: string) => {
      failed.current.delete(id);
      const job = jobs.current.find(other => other.id === id);
      job?.abort.abort(new AppError('cancelled', 'The upload was cancelled.'));
      // One that has not started yet, or has failed, only leaves the list.
      if (job !== jobs.current[0] || job === undefined) {
        jobs.current = jobs.current.filter(other => other.id !== id);
        forget(id);
      }
    },
    retry: (id: string) => {
      const job = failed.current.get(id);
      if (job === undefined) return;
      failed.current.delete(id);
      setUploads(before => before.map(upload => (upload.id === id ? { id, name: upload.name } : upload)));
      jobs.current.push({ ...job, abort: new AbortController() });
      run();
    },
  };
}

/** Whatever else goes wrong on the way says nothing to people. */
const unexpected = 'The site is not available right now.';

/** Where a picture of a video's beginning is stored. A video that this browser cannot show does without. */
async function uploadPoster(file: File, signal: AbortSignal): Promise<string | null> {
  if (!file.type.startsWith('video/')) return null;
  const poster = await posterOf(file);
  return poster === null ? null : (await uploadFile(poster, { signal })).url;
}
