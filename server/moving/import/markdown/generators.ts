import { attributesOf } from '../attributes.ts';
import { replaceEnclosed } from '../enclosed.ts';
import { outsideCode } from './outside-code.ts';

/** Within a shortcode, outside of quotation marks, no other one begins and this one does not end. */
const values = '((?:"[^"]*"|`[^`]*`|[^"`{>%]|\\{(?!\\{[<%])|[>%](?!\\}\\}))*)';
/** `{{< name ... >}}`, also with percent signs. */
const single = new RegExp(`\\{\\{[<%]\\s*(\\w[\\w-]*)(?![\\w-])${values}[>%]\\}\\}`, 'g');
/** The same with a content up to `{{< /name >}}`. */
const paired = {
  opening: new RegExp(`\\{\\{[<%]\\s*(?<name>highlight|details)(?![\\w-])${values}[>%]\\}\\}`, 'g'),
  closing: /\{\{[<%]\s*\/(?<name>highlight|details)\s*[>%]\}\}/g,
};
const highlighted = {
  opening: /\{%-?\s*highlight\s+([\w+-]+)(?![\w+-])[^%]*%\}/g,
  closing: /\{%-?\s*endhighlight\s*-?%\}/g,
};
const commented = { opening: /\{%-?\s*comment\s*-?%\}/g, closing: /\{%-?\s*endcomment\s*-?%\}/g };
const attribute = /(?:([\w-]+)\s*=\s*)?(?:"([^"]*)"|`([^`]*)`|([^\s"`]+))/g;
/** Looks like either syntax, and is not known here. */
const unknown = /\{\{[<%]\s*\/?(\w[\w-]*)|\{%-?\s*(\w+)/g;

type Words = { content: string; notes: string[] };

/**
 * Replaces Hugo's and Jekyll's built-in shortcodes: figures, videos, code, addresses. Those of a theme stay
 * as written, and the notes name them.
 */
export function withoutShortcodes(content: string): Words {
  if (!/\{\{|\{%/.test(content)) return { content, notes: [] };
  const withFences = replaceEnclosed(content, highlighted, ([, language = ''], inside) =>
    fence(language, withoutOuterBreaks(inside)),
  );
  const coded = replaceEnclosed(withFences, paired, ([, name, written = ''], inside) => {
    const attributes = attributesOf(written, attribute);
    if (name === 'highlight') return fence(attributes['0'] ?? '', withoutOuterBreaks(inside));
    return `<details>\n<summary>${attributes.summary ?? attributes['0'] ?? 'Details'}</summary>\n\n${inside.trim()}\n\n</details>`;
  });
  const names = new Set<string>();
  const changed = outsideCode(coded, words => {
    const known = withoutLiquid(words).replaceAll(
      single,
      (whole, name: string, written: string) => markdownFor(name, attributesOf(written, attribute)) ?? whole,
    );
    for (const [, hugo, jekyll] of known.matchAll(unknown)) names.add(hugo ?? jekyll ?? '');
    return known;
  });
  const notes = names.size === 0 ? [] : [`these shortcodes stay as words: ${[...names].sort().join(', ')}`];
  return { content: changed, notes };
}

/** Replaces Jekyll's tags for addresses and for literal text. */
function withoutLiquid(words: string): string {
  return replaceEnclosed(words, commented, () => '')
    .replaceAll(/\{\{-?\s*site\.(?:baseurl|url)\s*-?\}\}/g, '')
    .replaceAll(
      /\{\{-?\s*["']([^"']*)["']\s*\|\s*(?:(?:relative_url|absolute_url)\s*-?|prepend:[^{}]*)\}\}/g,
      '$1',
    )
    .replaceAll(/\{%-?\s*post_url\s+([\w./-]+)\s*-?%\}/g, '/_posts/$1.md')
    .replaceAll(/\{%-?\s*link\s+([\w./-]+)\s*-?%\}/g, '/$1')
    .replaceAll(/\{%-?\s*(?:end)?raw\s*-?%\}/g, '')
    .replaceAll(
      /\{%-?\s*(?:youtube|include\s+youtube\S*)\s+(?:id\s*=\s*)?["']?([\w-]+)["']?\s*-?%\}/g,
      (_, id) => youtube(id),
    );
}

function markdownFor(name: string, attributes: Record<string, string>): string | undefined {
  const first = attributes['0'] ?? '';
  switch (name) {
    case 'figure':
    case 'img':
    case 'image': {
      const words = attributes.caption ?? attributes.title ?? '';
      const image = `![${attributes.alt ?? ''}](${addressOf(attributes.src ?? first)})`;
      const linked = attributes.link ? `[${image}](${addressOf(attributes.link)})` : image;
      return words === '' ? linked : `${linked}\n\n*${words.trim()}*`;
    }
    case 'youtube':
      return youtube(attributes.id ?? first);
    case 'vimeo':
      return linkTo(`https://vimeo.com/${attributes.id ?? first}`);
    case 'tweet':
    case 'x': {
      const id = attributes.id ?? first;
      return linkTo(`https://x.com/${attributes.user ?? 'i'}/status/${id}`);
    }
    case 'instagram':
      return linkTo(`https://www.instagram.com/p/${attributes.id ?? first}/`);
    case 'gist':
      return linkTo(`https://gist.github.com/${first}/${attributes['1'] ?? ''}`);
    case 'audio':
    case 'video': {
      const src = attributes.src ?? first;
      const label = name === 'video' ? 'Video' : 'Audio';
      return src === '' ? undefined : `[${label}: ${src.split('/').at(-1)}](${addressOf(src)})`;
    }
    case 'ref':
    case 'relref':
      return addressOf(first || (attributes.path ?? ''));
    default:
      return undefined;
  }
}

const youtube = (id: string) => linkTo(`https://www.youtube.com/watch?v=${id}`);
const linkTo = (address: string) => `<${address.replaceAll(/[<>\s]/g, '')}>`;
const addressOf = (written: string) =>
  /[\s()<>]/.test(written) ? encodeURI(written).replaceAll(/[()]/g, bracketCode) : written;
const bracketCode = (bracket: string) => (bracket === '(' ? '%28' : '%29');

const withoutOuterBreaks = (text: string) => text.replace(/^\n/, '').replace(/\n$/, '');

function fence(language: string, inside: string): string {
  const longest = Math.max(2, ...[...inside.matchAll(/`{3,}/g)].map(([ticks]) => ticks.length));
  const ticks = '`'.repeat(longest + 1);
  return `${ticks}${language}\n${inside}\n${ticks}`;
}
