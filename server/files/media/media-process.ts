import { writeFile } from 'node:fs/promises';
import { AppError } from '../../../contract/errors.ts';
import { ConfigError } from '../../base/config-error.ts';
import { croppedPicture, narrowedPicture } from '../pictures/cropped.ts';
import { convertHeic, writeSizes } from '../pictures/picture-files.ts';
import { clearMedium } from '../privacy/clear-medium.ts';
import type { MediaAnswer, MediaRequest } from './processes.ts';

/**
 * The process that decodes pictures and cleans files (processes.ts), one at a time. It ends with its parent.
 */
const jobs = { clearMedium, convertHeic, writeSizes, croppedPicture, narrowedPicture };
export type MediaJobs = typeof jobs;

/** More memory ends it. Bytes. */
const maxMemory = Number(process.argv[2]);
const lookEveryMs = 100;

// Not `exit`, which waits for a picture that is being decoded.
const end = () => process.kill(process.pid, 'SIGKILL');
process.on('disconnect', end);
const endIfTooLarge = () => {
  if (process.memoryUsage.rss() > maxMemory) end();
};
setInterval(endIfTooLarge, lookEveryMs).unref();
// If memory runs out, this process is killed first, not the site. Only Linux has this file.
await writeFile('/proc/self/oom_score_adj', '1000').catch(() => {});

process.on('message', async (request: MediaRequest) => {
  const made = await answer(request);
  // A quick one is over before anybody has looked.
  endIfTooLarge();
  process.send?.(made);
  // Pixels lie outside of the heap, whose growth alone would not have them collected soon.
  globalThis.gc?.();
});

async function answer({ name, args }: MediaRequest): Promise<MediaAnswer> {
  const job = jobs[name] as (...given: unknown[]) => Promise<unknown>;
  try {
    return { value: await job(...args) };
  } catch (error) {
    if (error instanceof AppError) return { refusal: { code: error.code, message: error.message } };
    return error instanceof ConfigError ? { unusable: error.message } : { error };
  }
}
