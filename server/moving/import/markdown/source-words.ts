import type { Nodes } from 'mdast';
import { isCameraName } from '../../../../contract/camera-name.ts';
import { contentMaxCharacters } from '../../../../contract/constants.ts';
import { inBounds } from '../../../markdown/bounds.ts';
import { replaceEnclosed } from '../enclosed.ts';
import { withoutUnseen, wordsOfHtml } from '../html/lost-words.ts';
import { parseMarkdown } from '../references.ts';
import { wordsOfMdx } from './mdx.ts';
import { outsideCode } from './outside-code.ts';

/** HTML, components, syntax of generators and vaults, footnotes, tables: words can be lost only in these. */
const mayLose = /<[a-z!?/]|\{[{%/]|%%|\[\[|\[\^|^[ \t]*\||^(?:import|export)\b/im;

/** Syntax for the generator; none of it is visible. */
const generatorSigns = [
  { opening: /\{%-?\s*comment\s*-?%\}/g, closing: /\{%-?\s*endcomment\s*-?%\}/g },
  { opening: /\{\/\*/g, closing: /\*\/\}/g },
  { opening: /\{\{/g, closing: /\}\}/g },
  { opening: /\{%/g, closing: /%\}/g },
];
const vaultSigns = /%%[\s\S]*?%%|(?<![ \t])[ \t]+\^[\w-]+[ \t]*$/gm;
const calloutKind = /^((?:[ \t]*>)+[ \t]*)\[![\w-]+\][-+]?/gm;
const wikiLink = /!?\[\[(?:[^[\]\n]*\|)?([^[\]\n#^|]*)[^[\]\n]*\]\]/g;

type Written = {
  /** The text below the front matter, as written. */
  content: string;
  /** Whether its first heading has become the title of the post and is not part of its text. */
  hasTitle: boolean;
  isMdx: boolean;
  isObsidian: boolean;
};

/**
 * The words of a Markdown file that readers see, found independently of the import's conversion. Tags unknown
 * to HTML count as words. Undefined for a file that can lose none, like most.
 */
export function wordsOfMarkdown(file: Written): string | undefined {
  const { content, isMdx, isObsidian } = file;
  if (!mayLose.test(content) || content.length > contentMaxCharacters) return undefined;
  return inBounds(content, () => {
    const written = outsideCode(content, words => {
      const seen = withoutUnseen(isObsidian ? words.replaceAll(vaultSigns, ' ') : words);
      const plain = generatorSigns
        .reduce((rest, signs) => replaceEnclosed(rest, signs, () => ' '), seen)
        .replaceAll(calloutKind, '$1')
        .replaceAll(wikiLink, '$1');
      return isMdx ? wordsOfMdx(plain) : plain;
    });
    const tree = parseMarkdown(written);
    const title = file.hasTitle && tree.children.find(node => node.type === 'heading' && node.depth === 1);
    return tree.children.map(node => (node === title ? '' : wordsIn(node))).join(' ');
  });
}

/** Emphasis may begin and end within a word. */
const phrasing = new Set(['delete', 'emphasis', 'link', 'linkReference', 'strong']);

function wordsIn(node: Nodes): string {
  switch (node.type) {
    case 'html':
      return wordsOfHtml(node.value);
    case 'text':
    case 'inlineCode':
    case 'code':
      return node.value;
    case 'image':
    case 'imageReference':
      return isCameraName(node.alt ?? '') ? '' : ` ${node.alt ?? ''} `;
    case 'break':
      return ' ';
    default: {
      const inside = 'children' in node ? node.children.map(wordsIn) : [];
      return phrasing.has(node.type) ? inside.join('') : ` ${inside.join('')} `;
    }
  }
}
