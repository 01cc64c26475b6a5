import type { Element, ElementContent, Root } from 'hast';
import { fromHtml } from 'hast-util-from-html';
import { toMdast } from 'hast-util-to-mdast';
import type { Root as MarkdownRoot } from 'mdast';
import remarkGfm from 'remark-gfm';
import remarkStringify from 'remark-stringify';
import { unified } from 'unified';
import { cleanHtml } from './clean.ts';
import { wordLists } from './word-lists.ts';

/** The pasted text as Markdown, and its embedded pictures with their offsets in the Markdown. */
export type Pasted = { markdown: string; pictures: { at: number; address: string }[] };

const writer = unified()
  .use(remarkGfm)
  .use(remarkStringify, { bullet: '-', emphasis: '*', rule: '-' })
  .freeze();

/** Marks the place of a picture; no font has this character. */
const place = '\uF8F0';

/** The HTML of a clipboard as Markdown that shows the same: links, emphasis, headings, lists and tables. */
export function htmlToMarkdown(html: string): Pasted {
  const tree = fromHtml(fragmentOf(html), { fragment: true });
  wordLists(tree);
  cleanHtml(tree);
  const addresses: string[] = [];
  takePictures(tree, addresses);
  const markdown = writer.stringify(toMdast(tree, { document: true }) as MarkdownRoot).trim();
  const pictures: Pasted['pictures'] = [];
  let rest = markdown;
  for (const address of addresses) {
    const at = rest.indexOf(place);
    if (at < 0) break;
    // A paragraph with only the picture is removed with it.
    const isAlone = /(?:^|\n)$/.test(rest.slice(0, at)) && /^(?:\n|$)/.test(rest.slice(at + 1));
    rest = rest.slice(0, at) + rest.slice(at + 1).replace(isAlone ? /^\n{1,2}/ : /^$/, '');
    pictures.push({ at: Math.min(at, rest.length), address });
  }
  return { markdown: rest.trimEnd(), pictures };
}

/** The selection: Windows and browsers put a whole page around it. */
function fragmentOf(html: string): string {
  const [, selected] = /<!--StartFragment-->([\s\S]*)<!--EndFragment-->/.exec(html) ?? [];
  return selected ?? html;
}

/** Takes pictures out of a tree: embedded ones are uploaded; others become links to their address. */
function takePictures(parent: Root | Element, addresses: string[]): void {
  parent.children = parent.children.flatMap((node): ElementContent[] => {
    if (node.type !== 'element') return [node as ElementContent];
    takePictures(node, addresses);
    if (node.tagName !== 'img') return [node];
    const address = String(node.properties.src ?? '');
    if (/^data:image\/(?:png|jpeg|gif|webp|avif)[;,]/.test(address)) {
      addresses.push(address);
      return [{ type: 'text', value: place }];
    }
    const alt = String(node.properties.alt ?? '').trim() || 'Picture';
    if (!/^https?:\/\//.test(address)) return [];
    const words: ElementContent = { type: 'text', value: alt };
    return [{ type: 'element', tagName: 'a', properties: { href: address }, children: [words] }];
  });
}
