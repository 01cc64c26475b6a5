import { answerTexts } from '../../../markdown/text-program.ts';
import { convertPost } from './convert.ts';

/** The worker that content.ts starts. */
answerTexts(convertPost);
