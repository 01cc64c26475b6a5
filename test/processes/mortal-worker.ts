import { parentPort } from 'node:worker_threads';
import type { RenderMessage, RenderRequest } from '../../server/markdown/render-text.ts';

/** A worker that gives texts back as they are, ends of the text `die`, and is never done with `stay`. */
parentPort?.on('message', ({ id, markdown }: RenderRequest) => {
  if (markdown === 'die') process.exit(1);
  if (markdown === 'stay') while (true);
  parentPort?.postMessage({
    id,
    rendered: { html: '', text: markdown, readable: markdown },
  } satisfies RenderMessage);
});
parentPort?.postMessage('ready' satisfies RenderMessage);
