import type { Element, ElementContent } from 'hast';
import { classesOf } from '../../../markdown/elements.ts';
import { escapeHtml } from '../../../markdown/escape-html.ts';
import type { DraftPost } from '../draft.ts';
import { convertHtml } from '../html/to-markdown.ts';
import type { FileTree } from '../media/tree.ts';
import { utcTime } from '../utc-time.ts';
import { firstWords } from '../words.ts';
import { audienceOf, type Note } from './note.ts';

type Archive = { tree: FileTree; folder: string; notes: ReadonlySet<string> };

/** A post of an archive. Throws invalid-argument if its text cannot be read. */
export function postOf(note: Note, { tree, folder, notes }: Archive): DraftPost {
  const { markdown: content, words } = convertHtml(htmlOf(note), withoutHashtagLink);
  const audience = audienceOf(note);
  return {
    kind: 'post',
    id: note.id,
    title: undefined,
    fallbackTitle: firstWords(note.summary || content),
    description: note.summary || undefined,
    content,
    sourceWords: () => words,
    isDraft: false,
    date: utcTime(note.published),
    // Hashtags stay words of the text: as tags they would hide what everybody could read.
    tags: [],
    audience: audience === undefined ? [] : [audience],
    comments: [],
    likes: [],
    isOwnAddress: address => media.test(address) || notes.has(address),
    findFile: async address => {
      const path = media.exec(address)?.[1];
      if (path === undefined) return undefined;
      return (await tree.find(folder + path)) ?? { problem: 'is not in the archive' };
    },
    findPost: address => (notes.has(address) ? address : undefined),
    addresses: [note.id, ...(note.url ? [note.url] : [])],
    notes: [],
  };
}

/** The folder of an archive's files; some servers put their own name before it. */
const media = /^(?:https?:\/)?\/(?:[^/]+\/)*?(media_attachments\/.+)$/;

/** The text with its poll, pictures, videos and sounds; after its warning, if any. */
function htmlOf(note: Note): string {
  const answers = note.oneOf ?? note.anyOf ?? [];
  const poll =
    answers.length === 0
      ? ''
      : `<ul>${answers.map(({ name }) => `<li>${escapeHtml(name)}</li>`).join('')}</ul>`;
  const files = note.attachment.map(fileHtml).join('');
  const text = `${note.content ?? ''}${poll}`;
  if (note.summary) return hidden(note.summary, text + files);
  return text + (note.sensitive && files !== '' ? hidden('Sensitive content', files) : files);
}

function fileHtml({ mediaType, url, name }: Note['attachment'][number]): string {
  const [kind] = mediaType.split('/');
  if (kind === 'video' || kind === 'audio') return `<p><${kind} src="${escapeHtml(url)}"></${kind}></p>`;
  return `<p><img src="${escapeHtml(url)}" alt="${escapeHtml(name ?? '')}"></p>`;
}

const hidden = (summary: string, html: string) =>
  `<details><summary>${escapeHtml(summary)}</summary>${html}</details>`;

/** A hashtag links to its server's own list; here it becomes plain text. */
function withoutHashtagLink(element: Element): ElementContent[] | undefined {
  const isHashtag = element.tagName === 'a' && classesOf(element).includes('hashtag');
  return isHashtag ? element.children : undefined;
}
