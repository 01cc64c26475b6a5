import { escapeHtml } from '../../../markdown/escape-html.ts';
import { attributesOf } from '../attributes.ts';
import { refuseLongHtml } from '../html/to-markdown.ts';
import { betweenCommas } from '../words.ts';
import type { WpAttachment, WpSite } from './site.ts';

type Attributes = Record<string, string>;

const names =
  'audio|caption|embed|gallery|googlemaps|playlist|slideshow|spotify|ted|video|vimeo|wp_caption|youtube';
/** The values of a shortcode: outside of quotation marks, no other one begins in them. */
const values = `(?:"[^"]*"|'[^']*'|[^\\]["'])*`;
/** `[name key="value"]`, with the content up to `[/name]`; `[[name]]` is an escaped shortcode. */
const shortcode = new RegExp(
  `\\[(\\[?)(${names})(?![\\w-])(${values})\\](?:((?:(?!\\[/?\\2\\b)[\\s\\S])*)\\[/\\2\\])?(\\]?)`,
  'g',
);
/** Looks like a plugin's shortcode: brackets in prose have no values. */
const another = new RegExp(`\\[(?!(?:${names})\\b)([a-z][\\w-]{2,})\\s+[\\w-]+\\s*=\\s*["'\\w]`, 'g');
const attribute = /(?:([\w-]+)\s*=\s*)?(?:"([^"]*)"|'([^']*)'|([^\s"']+))/g;

/**
 * The content of a post with HTML in place of WordPress's own shortcodes. Those of plugins stay as written.
 * Throws invalid-argument for more HTML than any post has: each gallery has all pictures of the post.
 */
export function withoutShortcodes(content: string, site: WpSite, postId: string): string {
  let made = 0;
  return content.replaceAll(
    shortcode,
    (whole: string, opening: string, name: string, written: string, inside = '', closing = '') => {
      if (opening === '[' && closing === ']') return whole.slice(1, -1);
      const attributes = attributesOf(written.replace(/\/$/, ''), attribute);
      const html = htmlOf(name, attributes, inside, site, postId);
      made += html.length;
      refuseLongHtml(made);
      return opening + html + closing;
    },
  );
}

const brackets = new RegExp(`\\[/?(?:${names})(?![\\w-])${values}\\]`, 'g');

/** A content without WordPress's own shortcodes, whose values no reader sees. */
export const withoutBrackets = (content: string) => content.replaceAll(brackets, ' ');

export function unknownShortcodes(content: string): string[] {
  return [...new Set([...content.matchAll(another)].map(([, name = '']) => name))];
}

function htmlOf(name: string, attributes: Attributes, inside: string, site: WpSite, postId: string): string {
  switch (name) {
    case 'caption':
    case 'wp_caption':
      return figureOf(attributes, inside);
    case 'gallery':
    case 'playlist':
    case 'slideshow':
      return galleryOf(attributes, site, postId);
    case 'audio':
    case 'video': {
      const src = sourceOf(attributes) ?? addressIn(inside);
      return src === undefined ? inside : `\n\n<${name} src="${escapeHtml(src)}"></${name}>\n\n`;
    }
    default: {
      const written =
        inside.trim() || (attributes.url ?? attributes.src ?? attributes.id ?? attributes['0'] ?? '');
      const address = addressFor(name, written.replace(/^=/, ''));
      return address === undefined
        ? inside
        : `\n\n<p><a href="${escapeHtml(address)}">${escapeHtml(address)}</a></p>\n\n`;
    }
  }
}

/** A picture with the caption beside it, or in the attribute of older ones. */
function figureOf({ caption }: Attributes, inside: string): string {
  const found = /<img\b[^<>]*>(?:\s*<\/a>)?/i.exec(inside);
  const end = found === null ? inside.length : found.index + found[0].length;
  const [picture, words] = [inside.slice(0, end), inside.slice(end)];
  return `\n\n<figure>${picture.trim()}<figcaption>${(caption ?? words).trim()}</figcaption></figure>\n\n`;
}

/** The files that it names, or else all that were uploaded to its post. */
function galleryOf({ ids, include, exclude = '' }: Attributes, site: WpSite, postId: string): string {
  const named = ids ?? include;
  const left = new Set(betweenCommas(exclude));
  const files = (named === undefined ? (site.uploadedTo.get(postId) ?? []) : betweenCommas(named))
    .filter(id => !left.has(id))
    .flatMap(id => site.attachments.get(id) ?? []);
  return `\n\n${files.map(fileHtml).join('')}\n\n`;
}

export function fileHtml({ url, alt, caption }: WpAttachment): string {
  const name = /\.(?:mp3|m4a|ogg|wav|flac)$/i.test(url)
    ? 'audio'
    : /\.(?:mp4|webm|mov|ogv|m4v)$/i.test(url)
      ? 'video'
      : undefined;
  const shown =
    name === undefined
      ? `<img src="${escapeHtml(url)}" alt="${escapeHtml(alt)}">`
      : `<${name} src="${escapeHtml(url)}"></${name}>`;
  return `<figure>${shown}<figcaption>${caption}</figcaption></figure>`;
}

const formats = 'src mp4 m4v webm ogv flv wmv mp3 m4a ogg wav wma'.split(' ');
const sourceOf = (attributes: Attributes) =>
  formats.map(format => attributes[format]).find(address => address !== undefined && address !== '');
const addressIn = (text: string) => /https?:\/\/[^\s"'<>]+/.exec(text)?.[0];

function addressFor(name: string, written: string): string | undefined {
  const address = addressIn(written);
  if (address !== undefined) return address.replaceAll('&amp;', '&');
  if (!/^[\w-]+$/.test(written)) return undefined;
  if (name === 'youtube') return `https://www.youtube.com/watch?v=${written}`;
  return name === 'vimeo' ? `https://vimeo.com/${written}` : undefined;
}
