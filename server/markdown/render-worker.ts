import { parentPort } from 'node:worker_threads';
import { AppError } from '../../contract/errors.ts';
import { renderMarkdown } from './render.ts';
import type { RenderAnswer, RenderMessage, RenderRequest } from './render-text.ts';

/** The worker that render-text.ts starts: it says that it is loaded; texts come in, each is answered. */
parentPort?.on('message', ({ id, markdown, options }: RenderRequest) => {
  parentPort?.postMessage(answer(id, markdown, options));
});

parentPort?.postMessage('ready' satisfies RenderMessage);

function answer(id: number, markdown: string, options: RenderRequest['options']): RenderAnswer {
  try {
    return { id, rendered: renderMarkdown(markdown, options) };
  } catch (error) {
    // A class does not survive the way between threads.
    if (error instanceof AppError) return { id, refusal: { code: error.code, message: error.message } };
    return { id, error };
  }
}
