import { GFM, parser } from '@lezer/markdown';
import { isCameraName } from './camera-name.ts';
import { shortPostMaxMarkdown } from './constants.ts';
import { countCharacters } from './text.ts';

/** The editor's parser (CodeMirror), so that the browser loads no second one. */
const markdown = parser.configure(GFM);

/** Syntax whose characters are not shown. Of a picture or player the title is shown, as its caption. */
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

/** The text that readers see of Markdown, with one space or line break between words. */
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
      const isOfPlayer = name === 'LinkTitle' && /^\[(?:Video|Audio):/.test(content.slice(node.parent?.from));
      if (isOfPlayer) {
        leaveOut(from, to, captionIn(content.slice(from, to)));
        return false;
      }
      // The target of a link. An address in the text itself is shown.
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

/** A title as it is shown: without its quotation marks and the editor's backslashes. No name of a camera. */
function captionIn(title: string): string {
  const caption = title.slice(1, -1).replaceAll(/\\([!-/:-@[-`{-~])/g, '$1');
  return isCameraName(caption) ? '' : caption;
}

/**
 * The number of visible characters of a short post: without the targets of its links and pictures and the
 * signs of Markdown. Stops above `most`, as `countCharacters` does. For a text that is far too long, the
 * Markdown itself is counted.
 */
export function countShortPost(content: string, most?: number): number {
  return countCharacters(content.length > shortPostMaxMarkdown ? content : visibleText(content), most);
}
