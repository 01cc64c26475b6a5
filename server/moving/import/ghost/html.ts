import { escapeHtml } from '../../../markdown/escape-html.ts';

export const escaped = (text: unknown) => escapeHtml(String(text ?? ''));

type Payload = Readonly<Record<string, unknown>>;

const captioned = (html: string, caption: unknown) =>
  `<figure>${html}${caption ? `<figcaption>${caption}</figcaption>` : ''}</figure>`;

const image = (payload: Payload) => `<img src="${escaped(payload.src)}" alt="${escaped(payload.alt)}">`;

/**
 * The cards of Ghost's editors, as the HTML that `cards.ts` makes of rendered ones. Captions and texts in a
 * card are HTML there. A card that is not listed here is invisible: a form, an offer, a line for mails.
 */
const cards: Readonly<Record<string, (payload: Payload) => string>> = {
  image: payload => captioned(image(payload), payload.caption),
  gallery: payload => captioned(listOf(payload.images).map(image).join(''), payload.caption),
  bookmark: payload => {
    const { title, description, url } = recordOf(payload.metadata);
    const address = escaped(payload.url ?? url);
    return `<blockquote><p><a href="${address}">${escaped(title) || address}</a></p><p>${escaped(description)}</p></blockquote>`;
  },
  embed: payload => `<p><a href="${escaped(payload.url)}">${escaped(payload.url)}</a></p>`,
  html: payload => String(payload.html ?? ''),
  hr: () => '<hr>',
  horizontalrule: () => '<hr>',
  code: codeOf,
  codeblock: codeOf,
  callout: payload =>
    `<blockquote><p>${escaped(payload.calloutEmoji)} ${payload.calloutText ?? ''}</p></blockquote>`,
  toggle: payload => `<details><summary>${payload.heading ?? ''}</summary>${payload.content ?? ''}</details>`,
  button: payload => `<p><a href="${escaped(payload.buttonUrl)}">${escaped(payload.buttonText)}</a></p>`,
  video: payload =>
    captioned(
      `<video src="${escaped(payload.src)}" title="${escaped(payload.fileName ?? '')}"></video>`,
      payload.caption,
    ),
  audio: payload => `<audio src="${escaped(payload.src)}" title="${escaped(payload.title ?? '')}"></audio>`,
  file: payload =>
    `<p><a href="${escaped(payload.src)}">${escaped(payload.fileTitle || payload.fileName)}</a></p>`,
  product: payload =>
    `${payload.productImageSrc ? `<img src="${escaped(payload.productImageSrc)}" alt="">` : ''}<h4>${payload.productTitle ?? ''}</h4>${payload.productDescription ?? ''}`,
  header: payload => `<h2>${payload.header ?? ''}</h2><p>${payload.subheader ?? ''}</p>`,
};

/** The HTML of a card by its name; undefined for an invisible one. */
export const cardHtml = (name: string, payload: unknown): string | undefined =>
  Object.hasOwn(cards, name) ? cards[name]?.(recordOf(payload)) : undefined;

/** Whether a card contains Markdown, by Ghost's names for it. */
export const isMarkdownCard = (name: string) => ['markdown', 'card-markdown'].includes(name);

function codeOf({ code, language }: Payload): string {
  const type = language ? ` class="language-${escaped(language)}"` : '';
  return `<pre><code${type}>${escaped(code)}</code></pre>`;
}

export const recordOf = (value: unknown): Payload =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};

export const listOf = (value: unknown): Payload[] => (Array.isArray(value) ? value.map(recordOf) : []);
