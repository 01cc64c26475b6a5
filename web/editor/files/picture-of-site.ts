/** The form of a file's address on this site (server/files/address.ts). */
const fileAddress = /^\/files\/[\w-]+(?:\/[\w.]*)?$/;

/**
 * A picture as browsers write it. Our content policy lets only Prose parse HTML, so that DOMParser is refused
 * here.
 */
const pictures = /<img\b[^>]*?\ssrc="([^"]*)"/gi;

/**
 * The address of the one picture of this site that is dragged or pasted from one of its pages; undefined for
 * anything else. Browsers add a copy of such a picture as the only file: with several files, nothing tells
 * which is the copy.
 */
export function pictureOfSite(
  transfer: Pick<DataTransfer, 'getData'> & { files: { length: number } },
  origin: string,
): string | undefined {
  const [picture, ...others] = transfer.getData('text/html').matchAll(pictures);
  if (transfer.files.length !== 1 || others.length > 0) return undefined;
  const source = picture?.[1];
  const url = source !== undefined && URL.canParse(source, origin) ? new URL(source, origin) : undefined;
  return url?.origin === origin && fileAddress.test(url.pathname) ? url.pathname : undefined;
}
