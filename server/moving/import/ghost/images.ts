import { decoded } from '../decoded.ts';
import type { DraftFile } from '../draft.ts';
import { type FileTree, findFirst } from '../media/tree.ts';

/** Ghost's addresses of uploads, with the size of a smaller copy or another format in between. */
const content = /^(?:https?:\/\/[^/]+)?\/(?:[\w-]+\/)*?content\/((?:images|media|files)\/[^?#]+)/i;
const copied = /^images\/(?:size\/w\d+(?:h\d+)?\/)?(?:format\/\w+\/)?/i;

export const isContent = (address: string) => content.test(address);

/** The file at an address, in a copy of Ghost's `content` folder or of a folder within. */
export async function findContent(
  tree: FileTree | undefined,
  address: string,
): Promise<DraftFile | { problem: string } | undefined> {
  const path = content.exec(address)?.[1];
  if (path === undefined) return undefined;
  if (tree === undefined)
    return { problem: 'stays where it is, because no copy of the images was given (--images)' };
  const name = decoded(path).replace(copied, 'images/');
  const places = [name, `content/${name}`, name.replace(/^\w+\//, '')];
  return (await findFirst(tree, places)) ?? { problem: 'is not in the copy of the images' };
}
