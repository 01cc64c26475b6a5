import type { Typeface } from '../../contract/look.ts';
import atkinson from './typefaces/atkinson.css?inline';
import bitter from './typefaces/bitter.css?inline';
import garamond from './typefaces/garamond.css?inline';
import literata from './typefaces/literata.css?inline';

/** The styles of each reading typeface. A document has those of one. */
export const typefaceStyles: Record<Typeface, string> = { literata, garamond, bitter, atkinson };
