import { GFM, parser } from '@lezer/markdown';
import { shortPostMaxMarkdown } from './constants.ts';
import { countCharacters } from './text.ts';

/** The parser of the editor (CodeMirror), so that counting loads nothing more in the browser. */
const markdown = parser.configure(GFM);

/**
 * Syntax whose characters do not show. Of a picture only the caption shows, which is its title: its
 * alternative text is for those who do not see it.
 */
const hidden = new Set([
  'Image',
  'LinkMark',
  'LinkTitle',
  'LinkLabel',
  'LinkReference',
  'EmphasisMark',
  'StrikethroughMark',
  'HeaderMark',
  'QuoteMark',
  'ListMark',
  'CodeMark',
  'CodeInfo',
  'TaskMarker',
  'TableDelimiter',
  'HorizontalRule',
  'Comment',
  'CommentBlock',
  'HTMLTag',
  'ProcessingInstruction',
  'ProcessingInstructionBlock',
]);

/** The text that readers see of Markdown, with one space or line break between its words. */
export function visibleText(content: string): string {
  let text = '';
  let at = 0;
  const leaveOut = (from: number, to: number, instead = '') => {
    text += content.slice(at, Math.max(at, from)) + instead;
    at = Math.max(at, to);
  };
  markdown.parse(content).iterate({
    enter: ({ name, from, to, node }) => {
      const title = name === 'Image' ? node.getChild('LinkTitle') : null;
      if (title !== null) {
        leaveOut(from, to, ` ${captionIn(content.slice(title.from, title.to))} `);
        return false;
      }
      // The address of a link. One that stands in the text shows.
      const isAddress = name === 'URL' && (node.parent?.name === 'Link' || node.parent?.name === 'Image');
      if (hidden.has(name) || isAddress) {
        leaveOut(from, to);
        return false;
      }
      if (name === 'Escape') leaveOut(from, from + 1);
      if (name === 'Entity') leaveOut(from, to, '&');
      return true;
    },
  });
  leaveOut(content.length, content.length);
  return text.trim().replaceAll(/\s+/gu, ' ');
}

/** A title as it shows: without its quotation marks, and without the backslashes that the editor puts. */
const captionIn = (title: string) => title.slice(1, -1).replaceAll(/\\([!-/:-@[-`{-~])/g, '$1');

/**
 * The number of characters that readers see of a short post: not the addresses of its links and pictures, nor
 * the marks of Markdown. Stops above `most`, as `countCharacters`. A text that is far too long as it is
 * written counts as that.
 */
export function countShortPost(content: string, most?: number): number {
  return countCharacters(content.length > shortPostMaxMarkdown ? content : visibleText(content), most);
}
