import { type Kysely, sql } from 'kysely';
import { dialectOf } from '../db/dialect.ts';
import type { FileRow, Tables } from '../db/tables.ts';
import { widthsBelow } from './pictures.ts';

/** The text column is at most this wide, in CSS pixels. */
const sizes = '(min-width: 46rem) 42rem, 100vw';

const images = /<img(?: [\w-]+="[^"]*")+>/g;
const ours = / src="(\/files\/([\w-]{16})(?:\/[\w.]*)?)"/;

/** The file that a picture shows, unless the picture is elsewhere, or its author has said how large it is. */
function idIn(image: string): string | undefined {
  return / (?:width|height)="/.test(image) ? undefined : ours.exec(image)?.[2];
}

/**
 * Rendered and sanitised HTML in which each picture of ours says how large it is, so that its space is reserved, and in
 * which sizes there is one. The sizes are named whether or not they are made already: until then the picture itself
 * answers.
 */
export async function withPictureSizes(db: Kysely<Tables>, html: string): Promise<string> {
  const ids = [...new Set([...html.matchAll(images)].map(([image]) => idIn(image) ?? ''))].filter(Boolean);
  if (ids.length === 0) return html;
  const files = await picturesById(db, ids);
  return html.replaceAll(images, image => {
    const { type, width = null, height = null } = files.get(idIn(image) ?? '') ?? {};
    if (width === null || height === null) return image;
    const size = `<img width="${width}" height="${height}"`;
    // A GIF may move, and then has one size only.
    const widths = type === 'image/gif' ? [] : widthsBelow(width);
    if (widths.length === 0) return image.replace('<img', size);
    const address = ours.exec(image)?.[1];
    const offered = [...widths.map(offer => `${address}?width=${offer} ${offer}w`), `${address} ${width}w`];
    return image.replace('<img', `${size} srcset="${offered.join(', ')}" sizes="${sizes}"`);
  });
}

/** How large the pictures among attachments are, by their addresses. */
export async function sizesByAddress(
  db: Kysely<Tables>,
  addresses: readonly string[],
): Promise<Map<string, { width: number | null; height: number | null }>> {
  const ids = new Map(
    addresses.map(address => [address, /^\/files\/([\w-]{16})\b/.exec(address)?.[1] ?? '']),
  );
  const files = await picturesById(db, [...ids.values()].filter(Boolean));
  return new Map(
    addresses.map(address => {
      const { width = null, height = null } = files.get(ids.get(address) ?? '') ?? {};
      return [address, { width, height }];
    }),
  );
}

type PictureRow = Pick<FileRow, 'id' | 'type' | 'width' | 'height'>;

async function picturesById(db: Kysely<Tables>, ids: readonly string[]): Promise<Map<string, PictureRow>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('files')
    .select(['id', 'type', 'width', 'height'])
    .where(dialectOf(db).isOneOf(sql.ref('id'), ids))
    .execute();
  return new Map(rows.map(row => [row.id, row]));
}
