import { parentPort } from 'node:worker_threads';
import type { Rendered, RenderOptions } from '../../server/markdown/render.ts';
import type { TextMessage, TextRequest } from '../../server/markdown/text-worker.ts';

/** A worker that gives texts back as they are, ends of the text `die`, and is never done with `stay`. */
parentPort?.on('message', ({ text }: TextRequest<RenderOptions>) => {
  if (text === 'die') process.exit(1);
  if (text === 'stay') while (true);
  parentPort?.postMessage({
    result: { html: '', text, readable: text },
  } satisfies TextMessage<Rendered>);
});
parentPort?.postMessage('ready' satisfies TextMessage<Rendered>);
