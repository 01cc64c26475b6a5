import type { Element } from 'hast';
import { decodeString } from 'micromark-util-decode-string';
import { htmlBlockNames, htmlRawNames } from 'micromark-util-html-tag-name';
import { h, text } from './elements.ts';
import { escapeHtml } from './escape-html.ts';
import { reachOf } from './links.ts';
import { isHiddenLabel } from './players.ts';

export type RawTag = {
  /** The effective name in lower case: `center` counts as `div`. */
  name: string;
  writtenName: string;
  /** The source between the name and `>`. */
  attributes: string;
  source: string;
};

const renamed = new Map([
  ['center', 'div'],
  ['section', 'div'],
  ['article', 'div'],
  ['strike', 's'],
  ['tt', 'code'],
]);
const keptAttributes = new Map([
  ['a', ['href', 'title', 'id']],
  ['abbr', ['title']],
  ['dfn', ['title']],
  ['details', ['open']],
  ['iframe', ['src']],
  ['img', ['src', 'alt', 'title', 'width', 'height']],
  ['ol', ['start']],
  ['td', ['align']],
  ['th', ['align']],
]);
/**
 * Names by which the parser recognises blocks of HTML: another name instead would be another kind of block.
 */
const blockNames = new Set([...htmlBlockNames, ...htmlRawNames]);
/** Stands for a refused address: neither a link nor an image can use it. */
const refusedAddress = 'x:';
export const commentStandIn = '<!-- -->';
/** Keeps the position of something in a line. */
export const inlineStandIn = '<x></x>';

export function rawTag(source: string, writtenName: string, attributes: string): RawTag {
  return { name: renamed.get(writtenName) ?? writtenName, writtenName, attributes, source };
}

/** The element of a tag, with the few attributes that carry content. */
export function elementOf(tag: RawTag): Element {
  const values = keptOf(tag).map(([key, value]) => [key, key === 'open' ? true : value]);
  return h(tag.name, Object.fromEntries(values));
}

function keptOf({ name, attributes }: RawTag): [key: string, value: string][] {
  const names = keptAttributes.get(name);
  return names === undefined ? [] : [...attributesOf(attributes)].filter(([key]) => names.includes(key));
}

/**
 * An embedded page could run scripts; it becomes a link, so that an imported post does not lose its video.
 */
export function frameLink({ attributes }: RawTag): Element | undefined {
  const href = attributesOf(attributes).get('src');
  if (href === undefined || !/^https?:\/\//i.test(href)) return undefined;
  return h('a', { href }, text(href));
}

/** A kept tag, reduced to its visible part; unchanged if nothing had to go. Undefined for a hidden image. */
export function readableTag(tag: RawTag): string | undefined {
  const { name, writtenName, attributes, source } = tag;
  const values = keptOf(tag);
  const isHidden = name === 'img' && values.some(([key, value]) => key === 'alt' && isHiddenLabel(value));
  if (isHidden) return undefined;
  const shown = values.flatMap(([key, value]) => shownValue(name, key, value));
  const isRefused = name === 'a' && shown.some(([key, value]) => key === 'href' && value === refusedAddress);
  const isAsWritten =
    shown.length === values.length && shown.every(([, value], at) => value === values[at]?.[1]);
  if (isAsWritten && hasNothingBut(keptAttributes.get(name) ?? [], attributes)) return source;
  const written = shown
    .filter(([key]) => !isRefused || key === 'href')
    .map(([key, value]) => (key === 'open' ? ' open' : ` ${key}="${escaped(value)}"`));
  return `<${writtenName}${written.join('')}>`;
}

/** Keeps the position of a tag without any effect: the same kind of block begins with it. */
export function tagStandIn({ writtenName, source }: Pick<RawTag, 'writtenName' | 'source'>): string {
  return `<${source.startsWith('</') ? '/' : ''}${blockNames.has(writtenName) ? writtenName : 'x'}>`;
}

function shownValue(name: string, key: string, value: string): [key: string, value: string][] {
  if (key === 'href' || key === 'src') {
    const kind = name === 'a' ? 'link' : 'image';
    return [[key, reachOf(value, kind) === undefined ? refusedAddress : value]];
  }
  // As in the sanitiser's schema (schema.ts).
  if (key === 'width' || key === 'height') return /^\d{1,5}$/.test(value) ? [[key, value]] : [];
  if (key === 'align') return ['left', 'right', 'center'].includes(value) ? [[key, value]] : [];
  if (key === 'open') return [[key, '']];
  return [[key, value]];
}

/** Whether a tag has no other attributes than these, each once. */
function hasNothingBut(names: readonly string[], written: string): boolean {
  const seen = new Set<string>();
  const rest = written.replaceAll(attribute, (source: string, name: string) => {
    const key = name.toLowerCase();
    if (seen.has(key) || !names.includes(key)) return source;
    seen.add(key);
    return '';
  });
  return /^[\s/]*$/.test(rest);
}

const attribute = /([a-z][a-z0-9-]*)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?/gi;

function attributesOf(written: string): Map<string, string> {
  const pairs = [...written.matchAll(attribute)].map(
    ([, name = '', double, single, bare]) =>
      [name.toLowerCase(), decode(double ?? single ?? bare ?? '')] as const,
  );
  // The first attribute of a name counts.
  const values = new Map(pairs.toReversed());
  const anchor = values.get('name');
  if (anchor !== undefined) values.set('id', anchor);
  return values;
}

/** decodeString also removes Markdown's backslashes, which have no meaning in HTML. */
export const decode = (value: string) => decodeString(value.replaceAll('\\', '\\\\'));

const escaped = (value: string) =>
  escapeHtml(value).replaceAll(/\s/g, space => (space === ' ' ? ' ' : `&#${space.charCodeAt(0)};`));
