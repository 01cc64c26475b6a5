import type { Element, ElementContent, Nodes, Root } from 'hast';
import { fromHtml } from 'hast-util-from-html';
import { type Handle, type State, toMdast } from 'hast-util-to-mdast';
import type { Html, Root as MarkdownRoot, PhrasingContent, RootContent } from 'mdast';
import { toString as wordsOf } from 'mdast-util-to-string';
import remarkGfm from 'remark-gfm';
import remarkStringify from 'remark-stringify';
import { unified } from 'unified';
import { contentMaxCharacters } from '../../../../contract/constants.ts';
import { AppError } from '../../../../contract/errors.ts';
import { oneLine } from '../../../../contract/text.ts';
import { inBounds } from '../../../markdown/bounds.ts';
import { classesOf, h, text } from '../../../markdown/elements.ts';
import { inlineTags } from '../../../markdown/schema.ts';
import { decoded } from '../decoded.ts';
import { embeddedAddress } from './embeds.ts';

const writer = unified()
  .use(remarkGfm)
  .use(remarkStringify, { bullet: '-', emphasis: '*', rule: '-' })
  .freeze();

/** Markup takes several times as many characters as its words. */
const maxCharacters = 6 * contentMaxCharacters;

/** Throws invalid-argument for more characters of HTML than any post has. */
export function refuseLongHtml(characters: number): void {
  if (characters > maxCharacters) throw new AppError('invalid-argument', 'it is too long for a post');
}

/** Replaces a source's special elements before the conversion; undefined leaves an element unchanged. */
export type Rewrite = (element: Element) => ElementContent[] | undefined;

/**
 * Markdown for a piece of HTML, as far as our posts can show it. Pictures keep their captions, videos and
 * sounds become players or links, a frame of another site becomes a link to it. Throws invalid-argument for a
 * text that is longer than a post can be, or takes too long.
 */
export function htmlToMarkdown(html: string, rewrite?: Rewrite): string {
  return convertHtml(html, rewrite).markdown;
}

/**
 * Like {@link htmlToMarkdown}, with the words that the HTML shows, to be compared with those that are saved.
 */
export function convertHtml(
  html: string,
  rewrite: Rewrite = () => undefined,
): { markdown: string; words: string } {
  refuseLongHtml(html.length);
  return inBounds(html, () => {
    const tree = fromHtml(html, { fragment: true });
    prepare(tree, rewrite);
    // The conversion consumes its tree.
    const words = shownWords(tree);
    return { markdown: markdownOf(tree), words };
  });
}

/** The words of a piece of HTML on one line, such as a title. */
export function htmlToLine(html: string): string {
  if (!/[<&]/.test(html)) return oneLine(html);
  return inBounds(html, () => lineOf(fromHtml(html, { fragment: true })));
}

/** Words as Markdown that shows exactly them. */
export function asMarkdown(words: string): string {
  if (words === '') return '';
  return writer
    .stringify({
      type: 'root',
      children: [{ type: 'paragraph', children: [{ type: 'text', value: words }] }],
    })
    .trim();
}

const written = (value: string): Html => ({ type: 'html', value });

function markdownOf(tree: Root): string {
  const markdown = toMdast(tree, { handlers, document: true }) as MarkdownRoot;
  return writer.stringify(markdown).trim();
}

/** Elements that are invisible, there or here. */
const dropped =
  'button canvas datalist embed form head link meta noscript object script select style svg template textarea';
/** Inline elements without a Markdown syntax that our posts may have (markdown/schema.ts). */
const kept = 'kbd mark sub sup u';

const handlers: Record<string, Handle> = {
  ...Object.fromEntries(dropped.split(' ').map(name => [name, () => undefined])),
  ...Object.fromEntries(kept.split(' ').map(name => [name, inTags])),
  audio: player('Audio'),
  details,
  figcaption: caption,
  footnote: (_, node) => ({
    type: 'footnoteReference',
    identifier: String(node.properties.id),
    label: String(node.properties.id),
  }),
  iframe,
  video: player('Video'),
};

function inTags(state: State, node: Element): RootContent[] {
  const inside = state.all(node);
  if (inside.length === 0) return [];
  // The name tells the library that such a tag is inline; any other piece of HTML is a block of its own.
  const tag = (value: string): Html => ({ ...written(value), data: { hName: node.tagName } });
  return [tag(`<${node.tagName}>`), ...inside, tag(`</${node.tagName}>`)] as RootContent[];
}

/** A link with the label that makes it a player (markdown/players.ts). */
function player(label: string): Handle {
  return (_, node) => {
    const [url] = [node, ...node.children].flatMap(one =>
      one.type === 'element' && one.properties.src ? [String(one.properties.src)] : [],
    );
    if (url === undefined) return undefined;
    const name = String(node.properties.title ?? decodedName(url));
    return { type: 'link', url, title: null, children: [{ type: 'text', value: `${label}: ${name}` }] };
  };
}

function iframe(_: State, node: Element): PhrasingContent | undefined {
  const url = embeddedAddress(String(node.properties.src ?? node.properties.dataSrc ?? ''));
  if (url === undefined) return undefined;
  const title = String(node.properties.title ?? '').trim();
  return { type: 'link', url, title: null, children: [{ type: 'text', value: title || url }] };
}

function caption(state: State, node: Element): RootContent | undefined {
  const words = state.all(node) as RootContent[];
  const text = wordsOf({ type: 'root', children: words }).trim();
  if (text === '') return undefined;
  const isInline = words.every(one => phrasing.has(one.type));
  const children = isInline ? (words as PhrasingContent[]) : [{ type: 'text' as const, value: text }];
  return { type: 'paragraph', children: [{ type: 'emphasis', children }] };
}

const phrasing = new Set(['text', 'link', 'emphasis', 'strong', 'inlineCode', 'delete', 'html']);

function details(state: State, node: Element): RootContent[] {
  const summary = node.children.find(child => child.type === 'element' && child.tagName === 'summary');
  const rest = { ...node, children: node.children.filter(child => child !== summary) };
  const title = summary === undefined ? '' : lineOf(summary);
  return [
    written(`<details>\n<summary>${escaped(title || 'Details')}</summary>`),
    ...(state.toFlow(state.all(rest)) as RootContent[]),
    written('</details>'),
  ];
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Normalises elements so that the conversion understands them. */
function prepare(parent: Root | Element, rewrite: Rewrite): void {
  const children: ElementContent[] = [];
  const waiting = [...parent.children] as ElementContent[];
  for (let child = waiting.shift(); child !== undefined; child = waiting.shift()) {
    if (child.type === 'text') {
      children.push(bareLink(child.value, parent) ?? child);
    } else if (child.type === 'element') {
      const instead = rewrite(child);
      if (instead !== undefined) waiting.unshift(...instead);
      else {
        prepare(child, rewrite);
        if (child.tagName === 'img') children.push(...picture(child));
        else if (stressed.has(child.tagName)) children.push(...withoutOuterSpace(child));
        else children.push(child);
      }
    }
  }
  parent.children = children;
}

const stressed = new Set(['b', 'del', 'em', 'i', 's', 'strong']);

/** Markdown's emphasis cannot begin or end with a space: the space is moved outside. */
function withoutOuterSpace(element: Element): ElementContent[] {
  const first = element.children[0];
  const last = element.children.at(-1);
  const before = first?.type === 'text' ? (/^\s+/.exec(first.value)?.[0] ?? '') : '';
  if (first?.type === 'text') first.value = first.value.slice(before.length);
  const after = last?.type === 'text' ? (/\s+$/.exec(last.value)?.[0] ?? '') : '';
  if (last?.type === 'text') last.value = last.value.slice(0, last.value.length - after.length);
  const space = (value: string): ElementContent[] => (value === '' ? [] : [text(value)]);
  return [...space(before), element, ...space(after)];
}

/** Makes a bare address on its own a link, which other systems show as a preview. */
function bareLink(words: string, parent: Nodes): Element | undefined {
  const address = words.trim();
  if (!/^https?:\/\/[^\s<>"]+$/i.test(address)) return undefined;
  if (parent.type === 'element' && ['a', 'code', 'pre'].includes(parent.tagName)) return undefined;
  return h('a', { href: address }, text(address));
}

/**
 * A picture with the address that scripts would have set; the character of an emoji; nothing for a tracking
 * pixel.
 */
function picture(image: Element): ElementContent[] {
  const { properties } = image;
  const alt = String(properties.alt ?? '');
  const classes = classesOf(image);
  if (classes.includes('wp-smiley') || classes.includes('emoji')) return [text(alt)];
  if (Number(properties.width) === 1 && Number(properties.height) === 1) return [];
  const late = [properties.dataSrc, properties.dataLazySrc, properties.dataOriginal].find(
    address => typeof address === 'string' && address !== '',
  );
  const src = String(late ?? properties.src ?? '');
  if (src === '' || src.startsWith('data:')) return alt === '' ? [] : [text(alt)];
  return [{ ...image, properties: { src, alt, title: properties.title } }];
}

function decodedName(url: string): string {
  const [path = ''] = url.split(/[?#]/);
  return decoded(path.split('/').at(-1) ?? '') || url;
}

export const lineOf = (node: Nodes) => oneLine(spoken(node));

/** The visible text of a tree; words of separate blocks stay apart. */
function shownWords(node: Nodes): string {
  if (node.type === 'text') return node.value;
  if (!('children' in node)) return '';
  if (node.type === 'element' && unread.has(node.tagName)) return '';
  const inside = node.children.map(shownWords).join('');
  return node.type === 'element' && inlineTags.includes(node.tagName) && node.tagName !== 'br'
    ? inside
    : ` ${inside} `;
}
const unread = new Set(dropped.split(' '));

function spoken(node: Nodes): string {
  if (node.type === 'text') return node.value;
  if (node.type === 'element' && /^(?:script|style|template)$/.test(node.tagName)) return '';
  return 'children' in node ? node.children.map(spoken).join('') : '';
}
