import { decode } from '../../../markdown/raw-tag.ts';
import { attributesOf } from '../attributes.ts';

/** A piece of code as its author wrote it. */
export type WpCode = { code: string; language: string; isInline: boolean };

const languages =
  'as3|actionscript3?|bash|shell|coldfusion|cf|clojure|clj|cpp|c|c-sharp|csharp|css|delphi|pas|pascal|diff|patch|erl|erlang|fsharp|go|golang|groovy|haskell|html|java|javafx|jfx|js|jscript|javascript|json|latex|tex|matlab|matlabkey|objc|obj-c|perl|pl|php|plain|powershell|ps|py|python|r|rails|rb|ror|ruby|scala|splus|sql|swift|text|vb|vbnet|xhtml|xml|xslt|yaml|yml';
/** Code shortcodes: WordPress.com and SyntaxHighlighter, CodeColorer (`[cc_php]`), Crayon. */
const names = `code|code_sample|codebox|crayon|highlight|pre|prettify|source|sourcecode|cc[a-z]{0,4}(?:_[\\w+-]+)?|${languages}`;
const opening = new RegExp(
  `(\\[?)\\[(${names})(?![\\w-])((?:"[^"]*"|'[^']*'|[^\\]["'])*)\\]|<(pre|code)\\b((?:"[^"]*"|'[^']*'|[^<>"'])*)>`,
  'gi',
);
const attribute = /(?:([\w-]+)\s*=\s*)?(?:"([^"]*)"|'([^']*)'|([^\s"']+))/g;

/**
 * Extracts code from a post before anything else is parsed: plugins show it as written, including `<T>`,
 * `[tags]` and blank lines. An empty element with `data-code`, the number of the piece, takes its place.
 * Elements whose code is written as HTML stay.
 */
export function withoutCode(written: string): { content: string; codes: WpCode[] } {
  const codes: WpCode[] = [];
  const parts: string[] = [];
  const lower = written.toLowerCase();
  /** Names without a later closing tag: each is looked for once. */
  const endless = new Set<string>();
  let from = 0;
  opening.lastIndex = 0;
  for (let found = opening.exec(written); found !== null; found = opening.exec(written)) {
    const [whole, bracket = '', shortcode, given = '', element, properties = ''] = found;
    const name = (shortcode ?? element ?? '').toLowerCase();
    const end = shortcode === undefined ? `</${name}>` : `[/${name}]`;
    const start = found.index + whole.length;
    const at = endless.has(end) ? -1 : lower.indexOf(end, start);
    if (at < 0) {
      endless.add(end);
      opening.lastIndex = found.index + Math.max(bracket.length, 1);
      continue;
    }
    const inside = written.slice(start, at);
    const isEscaped = bracket !== '' && written[at + end.length] === ']';
    const code =
      shortcode === undefined ? codeOfElement(properties, inside) : codeOfShortcode(name, given, inside);
    if (code === undefined && !isEscaped) {
      // The content may have code of its own: `<pre>[php]...[/php]</pre>`.
      opening.lastIndex = start;
      continue;
    }
    parts.push(written.slice(from, found.index));
    from = at + end.length;
    if (isEscaped || code === undefined) parts.push(written.slice(found.index + 1, from++));
    else {
      const isInline =
        shortcode === undefined
          ? name === 'code' && !code.code.includes('\n')
          : isWithinLine(written, found.index + bracket.length, from, code);
      const tag = isInline ? 'code' : 'pre';
      parts.push(`${bracket}<${tag} data-code="${codes.push({ ...code, isInline }) - 1}"></${tag}>`);
    }
    opening.lastIndex = from;
  }
  return { content: [...parts, written.slice(from)].join(''), codes };
}

type Code = Pick<WpCode, 'code' | 'language'>;

function codeOfShortcode(name: string, given: string, inside: string): Code {
  const { language, lang, '0': first } = attributesOf(given, attribute);
  const named = /^cc[a-z]*_(.+)$/.exec(name)?.[1] ?? (isLanguage.test(name) ? name : '');
  const isOther = /[^\w+#.-]/.test(first ?? '');
  return {
    code: plainCode(inside, false),
    language: languageOf(language ?? lang ?? (isOther ? '' : first) ?? named) || named,
  };
}

const isLanguage = new RegExp(`^(?:${languages})$`);

/** Attributes of code plugins: WP-Syntax, Crayon, SyntaxHighlighter, Enlighter, Prettify. */
const ofPlugin = /\blang\s*=|(?:lang|brush):|prettyprint|enlighter/i;
/**
 * Syntax that no browser shows, and that nobody writes into HTML code: instructions, elements unknown to
 * HTML.
 */
const unshown = /<(?:\?|!(?!--)|\/?(?:script|style|html|head|body|meta|link|form|input|template)\b)/i;

/** The code of an element; undefined if it is proper HTML. */
function codeOfElement(properties: string, inside: string): Code | undefined {
  const [, opened = '', inner = inside] = /^\s*<code\b([^>]*)>([\s\S]*)<\/code>\s*$/i.exec(inside) ?? [];
  const said = `${properties} ${opened}`;
  if (/data-code|wp-block-verse/.test(said)) return undefined;
  const isOfPlugin = ofPlugin.test(said);
  if (!isOfPlugin && !unshown.test(inner) && !hasUnknownTag(inner)) return undefined;
  const language =
    /\b(?:lang|brush)\s*:\s*['"]?([\w+#.-]+)/i.exec(said)?.[1] ??
    /\blang(?:uage)?\s*=\s*["']?([\w+#.-]+)/i.exec(said)?.[1] ??
    /\blang(?:uage)?-([\w+#.-]+)/i.exec(said)?.[1] ??
    '';
  return {
    code: plainCode(inner, /escaped\s*=\s*["']?true|decode:true/i.test(said)),
    language: languageOf(language),
  };
}

const languageOf = (written: string) => {
  const [language = ''] = /[\w+#.-]+/.exec(written) ?? [];
  return /^(?:text|plain|default|none)$/i.test(language) ? '' : language.toLowerCase();
};

const known = new Set(
  'a abbr acronym address area article aside audio b base bdi bdo big blockquote br button canvas caption center cite code col colgroup data datalist dd del details dfn dialog dir div dl dt em embed fieldset figcaption figure font footer frame frameset h1 h2 h3 h4 h5 h6 header hr i iframe img ins kbd label legend li main map mark menu meter nav noscript object ol optgroup option output p param picture pre progress q rp rt ruby s samp section select small source span strike strong sub summary sup svg table tbody td textarea tfoot th thead time title tr track tt u ul var video wbr'.split(
    ' ',
  ),
);
const hasUnknownTag = (html: string) =>
  [...html.matchAll(/<\/?([a-z][^\s<>/]*)/gi)].some(([, name = '']) => !known.has(name.toLowerCase()));

/** Tags with which an editor formats code. */
const forming = new Set('a b br code del em font i ins mark p s small span strong u'.split(' '));

/**
 * The text of code. It is raw if it contains a tag, and escaped (`&lt;`) if not; an editor may have put line
 * breaks and colours in between.
 */
function plainCode(inside: string, isHtml: boolean): string {
  const tags = [...inside.matchAll(/<\/?([a-z][\w-]*)[^<>]*>/gi)];
  const isFormed =
    tags.length > 0 &&
    tags.length === inside.split('<').length - 1 &&
    tags.every(([, name = '']) => forming.has(name.toLowerCase())) &&
    /&(?:lt|gt|amp|quot|nbsp|#\d+);|<br\b/i.test(inside);
  const isRaw = !isHtml && !isFormed && inside.includes('<');
  const words = isFormed
    ? inside
        .replaceAll(/<br\b[^<>]*>\n?/gi, '\n')
        .replaceAll(/<\/p>\s*/gi, '\n\n')
        .replaceAll(/<[^<>]*>/g, '')
    : inside;
  return (isRaw ? words : decode(words).replaceAll('\u00a0', ' '))
    .replaceAll(/\r\n?/g, '\n')
    .replace(/^[ \t]*\n+|\s+$/g, '');
}

/** Whether a piece is inline. */
function isWithinLine(written: string, start: number, end: number, { code }: Code): boolean {
  if (code.includes('\n') || code.trim() === '') return false;
  const before = written.slice(written.lastIndexOf('\n', start - 1) + 1, start);
  const after = written.slice(end).split('\n', 1)[0] ?? '';
  const hasWords = (text: string) => text.replaceAll(/<!--.*?-->|<[^<>]*>/g, '').trim() !== '';
  return hasWords(before) || hasWords(after);
}
