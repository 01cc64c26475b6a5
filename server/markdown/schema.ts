import type { Schema } from 'hast-util-sanitize';
import { gallerySizes } from '../../contract/files.ts';
import { clobberPrefix } from './fragments.ts';

/** Tags that an author may write as HTML, too (raw-html.ts); the others come only from Markdown. */
export const inlineTags =
  'a abbr b br cite code del dfn em i img ins kbd mark q s samp small strong sub sup u var wbr'.split(' ');
const tableTags = 'tbody td tfoot th thead tr'.split(' ');
export const blockTags = [
  ...'blockquote dd details div dl dt figcaption figure h1 h2 h3 h4 h5 h6 hr li ol p pre summary table ul'.split(
    ' ',
  ),
  ...tableTags,
];

const player: NonNullable<Schema['attributes']>[string] = [
  'src',
  'ariaLabel',
  ['controls', true],
  ['preload', 'metadata'],
];

/**
 * Everything that a rendered text may contain, whatever the previous steps did: no element that runs, embeds,
 * submits or styles, no event handler, no style attribute (the Content-Security-Policy forbids them), no
 * schemes but these.
 */
export const schema: Schema = {
  tagNames: [...inlineTags, ...blockTags, 'input', 'section', 'span', 'video', 'audio'],
  attributes: {
    '*': ['id'],
    a: [
      ...['href', 'title', 'ariaLabel', 'dataFootnoteBackref', 'dataFootnoteRef'],
      ['ariaDescribedBy', 'footnote-label', /^[\w-]*footnote-label$/],
      ['className', 'anchor', 'data-footnote-backref', 'link-card'],
      ['ariaHidden', 'true'],
      ['tabIndex', -1],
      ['rel', 'noopener', 'noreferrer'],
    ],
    abbr: ['title'],
    dfn: ['title'],
    code: [['className', /^language-./]],
    details: ['open'],
    div: [['className', 'table-scroll', 'gallery'], ['tabIndex', 0], ['role', 'region'], 'ariaLabel'],
    figure: [['dataMore', /^\d{1,5}$/]],
    h2: [['className', 'sr-only']],
    img: [
      'src',
      'alt',
      'title',
      ['width', /^\d{1,5}$/],
      ['height', /^\d{1,5}$/],
      ['loading', 'lazy'],
      ['decoding', 'async'],
      ['sizes', gallerySizes],
    ],
    input: [['type', 'checkbox'], ['disabled', true], 'checked', 'ariaLabel'],
    li: [['className', 'task-list-item']],
    ol: ['start', ['className', 'contains-task-list']],
    pre: [['tabIndex', 0]],
    section: ['dataFootnotes', ['className', 'footnotes']],
    td: [['align', 'left', 'right', 'center']],
    th: [['align', 'left', 'right', 'center']],
    ul: [['className', 'contains-task-list']],
    video: player,
    audio: player,
  },
  ancestors: {
    ...Object.fromEntries(tableTags.map(name => [name, ['table']])),
    dd: ['dl'],
    dt: ['dl'],
    figcaption: ['figure'],
    li: ['ol', 'ul'],
    summary: ['details'],
  },
  required: { input: { disabled: true, type: 'checkbox' } },
  protocols: { href: ['http', 'https', 'mailto', 'tel'], src: ['http', 'https'] },
  clobber: ['ariaDescribedBy', 'id'],
  clobberPrefix,
  strip: ['script', 'style'],
  allowComments: false,
  allowDoctypes: false,
};
