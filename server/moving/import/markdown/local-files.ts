import { dirname, join } from 'node:path/posix';
import { fileIdAt } from '../../../files/address.ts';
import { headBytes, inlineTypes, svgType, typeOfBytes } from '../../../files/privacy/type.ts';
import { decoded } from '../decoded.ts';
import type { DraftFile } from '../draft.ts';
import { type FileTree, headOfDraftFile } from '../media/tree.ts';

/** Where to look for files, and the text that names them. */
type Search = { tree: FileTree; source: string };

/** Folders that site generators copy unchanged, besides the text's own folder. */
const assetFolders = ['', 'static', 'public', 'assets'];

/**
 * The file of the imported folder that an address refers to. Relative addresses are relative to the text's
 * file; those with a leading slash are relative to the folder, or to the one that site generators copy from.
 * Undefined for a link (`isLink`) to a missing file: a site generator may make it.
 */
export async function findLocalFile(
  { tree, source }: Search,
  address: string,
  isLink: boolean,
): Promise<DraftFile | { problem: string } | undefined> {
  const path = decoded(address.replace(/[?#].*$/s, ''));
  const candidates = path.startsWith('/')
    ? assetFolders.map(folder => join(folder, path))
    : [join(dirname(source), path)];
  for (const candidate of candidates) {
    const found = await tree.find(candidate);
    if (found === undefined) {
      if (!(await tree.isOutside(candidate))) continue;
      return isLink ? undefined : { problem: 'lies outside of the folder' };
    }
    const type = typeOfBytes(await headOfDraftFile(found, headBytes));
    // A link may also lead to a PDF in the folder; a link to any other file stays unchanged.
    const isTaken = inlineTypes.has(type) || type === svgType || (isLink && type === 'application/pdf');
    if (!isTaken) return isLink ? undefined : { problem: 'is not a picture that browsers show' };
    return found;
  }
  return isLink ? undefined : { problem: 'was not found' };
}

/** Whether an address leads into the folder: relative, and not to a file that is stored here already. */
export function isLocal(address: string): boolean {
  return address !== '' && fileIdAt(address) === undefined && !/^(?:[a-z][a-z\d+.-]*:|\/\/|#)/i.test(address);
}
