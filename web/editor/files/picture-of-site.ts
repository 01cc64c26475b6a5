/** The form of a file's address on this site (server/files/address.ts). */
const fileAddress = /^\/files\/[\w-]+(?:\/[\w.]*)?$/;

/**
 * The address of a picture of this site that is dragged or pasted from one of its pages; undefined for anything else.
 * Browsers add a copy of such a picture as a file.
 */
export function pictureOfSite(transfer: Pick<DataTransfer, 'getData'>, origin: string): string | undefined {
  const source = /<img\b[^>]*?\ssrc="([^"]*)"/i.exec(transfer.getData('text/html'))?.[1];
  const url = source !== undefined && URL.canParse(source, origin) ? new URL(source, origin) : undefined;
  return url?.origin === origin && fileAddress.test(url.pathname) ? url.pathname : undefined;
}
