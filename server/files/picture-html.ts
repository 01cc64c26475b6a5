import { type Kysely, sql } from 'kysely';
import { pictureSizes, pictureSources } from '../../contract/files.ts';
import { dialectOf } from '../db/dialect.ts';
import type { Tables } from '../db/tables.ts';
import { changeStartTags, startTagsOf } from '../markdown/start-tags.ts';
import { fileAddressForm } from './address.ts';

const ours = new RegExp(` src="(${fileAddressForm})"`);

/**
 * The file that the picture with this start tag shows. Undefined for another element, a picture that is elsewhere, and
 * one whose author has said how large it is.
 */
function idIn(tag: string): string | undefined {
  if (!tag.startsWith('<img ') || / (?:width|height)="/.test(tag)) return undefined;
  return ours.exec(tag)?.[2];
}

/**
 * Rendered and sanitised HTML in which each picture of ours says how large it is, so that its space is reserved, what to
 * show until it has loaded (web/post/placeholders.ts), and in which sizes there is one. The sizes are named whether or not
 * they are made already: until then the picture itself answers. Only of pictures that the post has, or that `savedBy` has
 * uploaded: an imported text may name those of others, which its readers may not see.
 */
export async function withPictureSizes(
  db: Kysely<Tables>,
  html: string,
  { postId, savedBy }: { postId: string; savedBy: string | null },
): Promise<string> {
  const ids = [...new Set(startTagsOf(html).flatMap(tag => idIn(tag) ?? []))];
  if (ids.length === 0) return html;
  const rows = await db
    .selectFrom('files')
    .select(['id', 'type', 'width', 'height', 'placeholder'])
    .where(dialectOf(db).inList(sql.ref('id'), ids))
    .where(eb =>
      eb.or([
        eb('uploader_id', savedBy === null ? 'is' : '=', savedBy),
        eb('id', 'in', eb.selectFrom('post_files').select('file_id').where('post_id', '=', postId)),
      ]),
    )
    .execute();
  const files = new Map(rows.map(row => [row.id, row]));
  return changeStartTags(html, image => {
    const { type, width = null, height = null, placeholder = null } = files.get(idIn(image) ?? '') ?? {};
    if (width === null || height === null) return image;
    const tiny = placeholder === null ? '' : ` data-tiny="${placeholder}"`;
    const size = `<img${tiny} width="${width}" height="${height}"`;
    const sources = pictureSources(ours.exec(image)?.[1] ?? '', type ?? '', width);
    const offer = sources === undefined ? '' : ` srcset="${sources}" sizes="${pictureSizes}"`;
    return image.replace('<img', size + offer);
  });
}

/** The same without what a page shows until a picture has loaded: for feeds and mails. */
export function withoutPlaceholders(html: string): string {
  // It is the first attribute.
  return changeStartTags(html, tag => tag.replace(/^<img data-tiny="[^"]*"/, '<img'));
}
