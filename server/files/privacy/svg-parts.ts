import type { Tag } from 'sax';
import { AppError } from '../../../contract/errors.ts';

export const svg = 'http://www.w3.org/2000/svg';
const xhtml = 'http://www.w3.org/1999/xhtml';
export const xlink = 'http://www.w3.org/1999/xlink';

export function partsOf(name: string): [prefix: string, local: string] {
  const at = name.indexOf(':');
  return at < 0 ? ['', name] : [name.slice(0, at), name.slice(at + 1)];
}

/**
 * Attributes that could run or fetch something, and those of programs: `data-name` is a layer's name,
 * `content` is the diagram that diagrams.net opens again.
 */
export const isProgram =
  /^(?:xmlns|content|srcset|poster|background|action|formaction|ping|cite|longdesc|on.*|data.*)$/i;
const isLeftOut =
  /^(?:metadata|script|handler|listener|iframe|frame|object|embed|meta|link|base|form|audio|video|source)$/i;

/** Elements of SVG, and of HTML for texts in it, that show something. */
export function isKept(space: string, local: string, attributes: Tag['attributes']): boolean {
  if (![svg, xhtml].includes(space) || isLeftOut.test(local)) return false;
  // Elements that would change a link's target.
  return !(/^(?:set|animate)$/i.test(local) && /href$/i.test(attributes.attributeName ?? ''));
}

export function unreadable(): AppError {
  return new AppError(
    'permission-denied',
    'This drawing (SVG) cannot be read. Please save it again as plain SVG, or as PNG.',
  );
}
