import { decoded } from '../decoded.ts';
import type { DraftFile } from '../draft.ts';
import { type FileTree, findFirst } from '../media/tree.ts';
import type { WpSite } from './site.ts';

/** The folder of uploads on a self-hosted WordPress. */
const uploads = /\/wp-content\/uploads\/(?:sites\/\d+\/)?(.+)$/;
/** The size of a smaller copy, or an edit of a picture, in its name. */
const copied = /(?:-\d+x\d+|-scaled|-rotated|-e\d{10,})(\.\w+)$/;

/**
 * The path of an upload below `wp-content/uploads` in an address, including those of WordPress.com's file and
 * image servers; undefined for any other address.
 */
export function uploadPath(address: string, site: Pick<WpSite, 'address'>): string | undefined {
  const host = site.address.split('/')[0] ?? '';
  const url = URL.parse(address, `https://${host || 'this.invalid'}`);
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  let path = decoded(url.pathname);
  let server = url.host;
  // Photon: the address of the original is the path.
  if (/^i\d\.wp\.com$/.test(server)) {
    const [, original = '', rest = ''] = /^\/([^/]+)(\/.*)$/.exec(path) ?? [];
    [server, path] = [original, rest];
  }
  const found = uploads.exec(path)?.[1];
  if (found !== undefined) return found;
  return /\.files\.wordpress\.com$/.test(server) ? path.replace(/^\//, '') : undefined;
}

/** The upload at an address, in a copy of the folder: the original rather than a smaller copy. */
export async function findUpload(
  tree: FileTree | undefined,
  path: string,
): Promise<DraftFile | { problem: string }> {
  if (tree === undefined)
    return { problem: 'stays where it is, because no copy of wp-content/uploads was given (--media)' };
  const original = path.replace(copied, '$1');
  const names = original === path ? [path] : [original, path.replace(/-\d+x\d+(\.\w+)$/, '-scaled$1'), path];
  const places = names.flatMap(name => [name, `uploads/${name}`, `wp-content/uploads/${name}`]);
  return (await findFirst(tree, places)) ?? { problem: 'is not in the copy of wp-content/uploads' };
}
