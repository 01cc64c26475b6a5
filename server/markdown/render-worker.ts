import { renderMarkdown } from './render.ts';
import { answerTexts } from './text-program.ts';

/** The worker that render-text.ts starts. */
answerTexts(renderMarkdown);
