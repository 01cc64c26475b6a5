import { parentPort } from 'node:worker_threads';
import { AppError } from '../../contract/errors.ts';
import { renderMarkdown } from './render.ts';
import type { RenderAnswer, RenderMessage, RenderRequest } from './render-text.ts';

/** The worker that render-text.ts starts: it reports that it is loaded, then answers each text. */
parentPort?.on('message', ({ id, markdown, options }: RenderRequest) => {
  parentPort?.postMessage(answer(id, markdown, options));
});

parentPort?.postMessage('ready' satisfies RenderMessage);

function answer(id: number, markdown: string, options: RenderRequest['options']): RenderAnswer {
  try {
    return { id, rendered: renderMarkdown(markdown, options) };
  } catch (error) {
    // Class instances do not survive the transfer between threads.
    if (error instanceof AppError) return { id, refusal: { code: error.code, message: error.message } };
    return { id, error };
  }
}
