import { programBeside } from '../base/program.ts';
import { refuseTooLong, shortCharacters } from './bounds.ts';
import type { Rendered, RenderOptions } from './render.ts';
import { TextWorker } from './text-worker.ts';
import { withTimeLimit } from './time-limit.ts';

/** How long a short text is tried in place, in milliseconds. */
const inPlaceMs = 80;
/** The grammars that highlight code can take longer than that at their first use. */
const codeFence = /```|~~~/;

/**
 * Like `renderMarkdown`, without blocking requests: a text that takes more than 80 ms is rendered by a
 * worker, one text after another, as are those that the same person sends meanwhile. A text over the time
 * limit terminates the worker. Throws as `renderMarkdown` does, and resource-exhausted if too many texts of
 * one person are waiting.
 */
export async function renderText(
  markdown: string,
  options: RenderOptions = {},
  worker: Pick<RenderWorker, 'run' | 'hasTextOf'> = siteWorker,
  limitMs = inPlaceMs,
): Promise<Rendered> {
  // Every page of a site without an About text shows an empty one.
  if (markdown === '') return { html: '', text: '', readable: '' };
  refuseTooLong(markdown);
  if (!options.isAside && markdown.length <= shortCharacters && !codeFence.test(markdown)) {
    // Loaded here: a site whose posts are only read never needs it.
    const { renderMarkdown } = await import('./render.ts');
    if (!worker.hasTextOf(options.by)) {
      const done = withTimeLimit(limitMs, () => renderMarkdown(markdown, options));
      if (done !== undefined) return done.value;
    }
  }
  return await worker.run(markdown, options, options.by);
}

export class RenderWorker extends TextWorker<RenderOptions, Rendered> {}

const siteWorker = new RenderWorker(programBeside(import.meta.url, 'render-worker'));
