import { html } from 'hono/html';
import { shownName } from '../../contract/files.ts';
import type { Attachment, Post } from '../../contract/post.ts';
import { unlessRefused } from '../access/posts.ts';
import type { Viewer } from '../access/viewer.ts';
import { isOutage } from '../db/outage.ts';
import { fileIdAt, fileIdsIn } from '../files/address.ts';
import { withoutPlaceholders } from '../files/pictures/picture-html.ts';
import { getFile } from '../files/read.ts';
import { representationOf } from '../files/representation.ts';
import { isMissingBytes } from '../files/store/missing-bytes.ts';
import { readWhole } from '../files/store/store.ts';
import { withAddresses } from '../markdown/addresses.ts';
import { withPlainCards } from '../markdown/link-cards.ts';
import { attributesOf, changeStartTags } from '../markdown/start-tags.ts';
import type { MailContext } from './context.ts';

/** A picture attached to a mail, so that it needs no session. */
export type MailPicture = { cid: string; content: Buffer; contentType: string; filename: string };

/** The least width of a picture in a mail, in pixels, and the most pictures and bytes of a mail. */
const pictureWidth = 960;
const picturesPerMail = 12;
const maxPictureBytes = 4 * 1024 * 1024;
/** The most files of a post that are looked at for pictures. */
const filesLookedAt = 100;

/**
 * The pictures of a post that fit into a mail, by the ids of their files. Reading them takes time: the caller
 * checks the right to the post again afterwards.
 */
export async function picturesOf(
  deps: MailContext,
  viewer: Viewer,
  { id: postId, html: body, attachments }: Pick<Post, 'id' | 'html' | 'attachments'>,
): Promise<ReadonlyMap<string, MailPicture>> {
  const attached = attachments.flatMap(({ url, thumbnail }) => [url, thumbnail ?? '']);
  const named = new Set(fileIdsIn(`${withPlainCards(body)} ${attached.join(' ')}`));
  const pictures = new Map<string, MailPicture>();
  let bytes = 0;
  // A text may name any number of files that are not its own.
  const own = await filesOfPost(deps, postId);
  for (const id of [...named].filter(id => own.has(id)).slice(0, filesLookedAt)) {
    const found = await unlessRefused(getFile(deps, viewer, { id }));
    if (found === undefined) continue;
    const { file } = found;
    const wanted = file.type.startsWith('video/') ? 'poster' : pictureWidth;
    const { key, type, size } = representationOf(file, wanted);
    if (!type.startsWith('image/') || type === 'image/svg+xml') continue;
    if (pictures.size === picturesPerMail || bytes + size > maxPictureBytes) continue;
    bytes += size;
    const content = await bytesOrNone(deps, key);
    if (content === undefined) continue;
    pictures.set(id, { cid: `${id}@picture`, content, contentType: type, filename: file.name });
  }
  return pictures;
}

async function filesOfPost({ db }: MailContext, postId: string): Promise<ReadonlySet<string>> {
  const rows = await db.selectFrom('post_files').select('file_id').where('post_id', '=', postId).execute();
  return new Set(rows.map(row => row.file_id));
}

/**
 * The bytes of a picture; undefined if the store lacks them or is unavailable: then the mail is sent without
 * it.
 */
async function bytesOrNone({ files, log }: MailContext, key: string): Promise<Buffer | undefined> {
  try {
    return await readWhole(files, key);
  } catch (error) {
    if (!isOutage(error) && !isMissingBytes(error)) throw error;
    log.warn({ err: error }, 'a picture is left out of a mail');
    return undefined;
  }
}

/** The whole post as HTML for a mail, with the pictures in `pictures`. */
export function wholePost(post: Post, pictures: ReadonlyMap<string, MailPicture>, publicUrl: string): string {
  const page = `${publicUrl}/post/${post.id}`;
  const inMail = (address: string) => pictures.get(fileIdAt(address.split('?')[0] ?? '') ?? '');
  // Players become links in a mail: `render.ts` puts a link into each player.
  const still = withPlainCards(withoutPlaceholders(post.html))
    .replaceAll(/<\/(?:audio|video)>/g, '')
    .replaceAll(/<span class="printed" hidden>[^<]*<\/span>/g, '');
  const body = changeStartTags(still, tag => {
    if (/^<(?:audio|source) /.test(tag)) return '';
    if (tag.startsWith('<video')) {
      const poster = inMail(attributesOf(tag).poster ?? '');
      return poster === undefined
        ? ''
        : `<a href="${page}"><img src="cid:${poster.cid}" alt="" style="${pictureStyle}"></a><br>`;
    }
    // A file needs a session, while the page offers to log in.
    if (tag.startsWith('<a ')) return tag.replace(/ href="\/files\/[^"]*"/, () => ` href="${page}"`);
    // Many mail programs leave controls out.
    if (tag.startsWith('<input ')) return tag.replaceAll(/"[^"]*"/g, '').includes(' checked') ? '☑' : '☐';
    const style = styleOf(tag);
    if (style !== undefined) return `${tag.slice(0, -1)} style="${style}">`;
    const { src: source, alt: words = '' } = attributesOf(tag);
    if (!tag.startsWith('<img ') || source === undefined) return tag;
    // In an attribute no `<` is escaped, and below the words may stand between tags.
    const alt = words.replaceAll('<', '&lt;').replaceAll('>', '&gt;');
    const picture = inMail(source);
    if (picture !== undefined) return `<img src="cid:${picture.cid}" alt="${alt}" style="${pictureStyle}">`;
    if (!source.startsWith('/')) return tag;
    return `<em>${alt === '' ? 'A picture is on the site.' : `Picture: ${alt}`}</em>`;
  });
  const attached = post.attachments.map(file => attachedFile(file, inMail, page));
  return withAddresses(body, publicUrl, page) + attached.join('');
}

const pictureStyle = 'max-width:100%;height:auto';

/** Code wraps, because a mail that is wider than a phone is shrunk until nobody can read it. */
const codeStyle =
  'white-space:pre-wrap;direction:ltr;text-align:left;font-size:14px;line-height:1.4;tab-size:2;-moz-tab-size:2';
const cellStyle = 'padding:4px 16px 4px 0;vertical-align:top';

/** The styles of elements that mail programs would show too wide, or with a bullet beside their box. */
function styleOf(tag: string): string | undefined {
  if (tag.startsWith('<pre')) return codeStyle;
  // The words of a wide table stay whole, and it scrolls.
  if (tag.startsWith('<div class="table-scroll"'))
    return 'overflow-x:auto;overflow-wrap:normal;word-break:normal';
  if (/^<t[dh][ >]/.test(tag)) return cellStyle;
  if (tag.startsWith('<li class="task-list-item"')) return 'list-style:none';
  return undefined;
}

/** A picture, the poster of a video as a link, or the name of a file. */
function attachedFile(
  { url, name, type, thumbnail, description, alt }: Attachment,
  inMail: (address: string) => MailPicture | undefined,
  page: string,
): string {
  const picture = inMail(type.startsWith('image/') ? url : (thumbnail ?? url));
  const label = `${/^(video|audio)\//.test(type) ? 'Play ' : ''}${description ?? shownName(name, type)}`;
  const shown =
    picture &&
    html`<img src="cid:${picture.cid}" alt="${alt ?? description ?? ''}" style="${pictureStyle}"><br>`;
  const isPicture = type.startsWith('image/') && picture !== undefined;
  const link = isPicture ? (description ?? '') : html`<a href="${page}">${label}</a>`;
  const linked = isPicture || picture === undefined ? (shown ?? '') : html`<a href="${page}">${shown}</a>`;
  return String(html`<p style="margin:16px 0">${linked}${link}</p>`);
}
