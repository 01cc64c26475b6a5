import {
  narrowScreens,
  narrowVideo,
  pictureSizes,
  pictureSources,
  videoPoster,
} from '../../../contract/files.ts';
import type { FileRow } from '../../db/tables.ts';
import { changeStartTags } from '../../markdown/start-tags.ts';
import { fileAddressForm } from '../address.ts';

const ours = new RegExp(` src="(${fileAddressForm})"`);

/**
 * The file that the picture or video with this start tag shows. Undefined for another element, for a file on
 * another site, and if the author has set the size.
 */
function idIn(tag: string): string | undefined {
  if (!/^<(?:img|video) /.test(tag) || / (?:width|height)="/.test(tag)) return undefined;
  return ours.exec(tag)?.[2];
}

/**
 * Adds width, height, placeholder and srcset to our pictures, and size, poster and a narrow source to our
 * videos. The sizes are referred to before they are made: until then the original is served. Only for
 * `files`, those of the post, by id: a text may name others that its readers may not see.
 */
export function withPictureSizes(html: string, files: ReadonlyMap<string, FileRow>): string {
  return changeStartTags(html, image => {
    const { type, width = null, height = null, placeholder = null } = files.get(idIn(image) ?? '') ?? {};
    if (image.startsWith('<video ') && type !== undefined) return withSources(image, { width, height });
    if (width === null || height === null) return image;
    const tiny = placeholder === null ? '' : ` data-tiny="${placeholder}"`;
    const size = `<img${tiny} width="${width}" height="${height}"`;
    const sources = pictureSources(ours.exec(image)?.[1] ?? '', type ?? '', width);
    const sizes = image.includes(' sizes="') ? '' : ` sizes="${pictureSizes}"`;
    const offer = sources === undefined ? '' : ` srcset="${sources}"${sizes}`;
    // Not a string, in which `$` would have a meaning.
    return image.replace('<img', () => size + offer);
  });
}

function withSources(player: string, { width, height }: Pick<FileRow, 'width' | 'height'>): string {
  const address = ours.exec(player)?.[1] ?? '';
  const tall = (height ?? 0) > (width ?? 0) ? ' class="tall"' : '';
  const size = width === null || height === null ? '' : ` width="${width}" height="${height}"`;
  // A source on the element itself would take precedence over those inside.
  const opened = player
    .replace(ours, '')
    .replace('<video', () => `<video${tall}${size} loading="lazy" poster="${videoPoster(address)}"`);
  return `${opened}<source src="${narrowVideo(address)}" media="${narrowScreens}"><source src="${address}">`;
}

/** The same without placeholders, which only pages show while a picture loads: for feeds and mails. */
export function withoutPlaceholders(html: string): string {
  // It is the first attribute.
  return changeStartTags(html, tag => tag.replace(/^<img data-tiny="[^"]*"/, '<img'));
}
