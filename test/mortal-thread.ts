import { parentPort } from 'node:worker_threads';
import type { RenderAnswer, RenderRequest } from '../server/markdown/render-aside.ts';

/** A thread that gives texts back as they are, and ends of the text `die`. */
parentPort?.on('message', ({ id, markdown }: RenderRequest) => {
  if (markdown === 'die') process.exit(1);
  parentPort?.postMessage({ id, rendered: { html: '', text: markdown } } satisfies RenderAnswer);
});
