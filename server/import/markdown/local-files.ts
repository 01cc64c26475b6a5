import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileIdAt } from '../../files/address.ts';
import { headBytes, inlineTypes, svgType, typeOfBytes } from '../../files/type.ts';
import type { DraftFile } from '../draft.ts';
import { realPathWithin } from '../media/within.ts';

/** Where files are looked for: the real path of the folder, and the file whose text names them. */
type Search = { root: string; source: string };

/** Where site generators keep what they copy as it is, beside the folder itself. */
const assetFolders = ['', 'static', 'public', 'assets'];

/**
 * The file of the imported folder that an address of a text means. Relative addresses are relative to the text's file;
 * those that start with a slash are relative to the folder, or to the one that site generators copy from. Undefined for
 * a link (`isLink`) to what is not there: a site generator may make it.
 */
export async function findLocalFile(
  { root, source }: Search,
  address: string,
  isLink: boolean,
): Promise<DraftFile | { problem: string } | undefined> {
  const path = decoded(address.replace(/[?#].*$/s, ''));
  const candidates = path.startsWith('/')
    ? assetFolders.map(folder => join(folder, path))
    : [join(dirname(source), path)];
  for (const candidate of candidates) {
    const real = await realPathWithin(root, candidate);
    if (real === undefined) continue;
    if (real === 'outside') return isLink ? undefined : { problem: 'lies outside of the folder' };
    const found = await stat(real);
    if (!found.isFile()) continue;
    const type = typeOfBytes(await headOf(real));
    // A link may lead to a document; to what could be anything it leads as it did.
    const isTaken = inlineTypes.has(type) || type === svgType || (isLink && type === 'application/pdf');
    if (!isTaken) return isLink ? undefined : { problem: 'is not a picture that browsers show' };
    return { name: basename(real), size: found.size, read: () => createReadStream(real) };
  }
  return isLink ? undefined : { problem: 'was not found' };
}

/** Whether an address leads into the folder: relative, and no file that is stored here already. */
export function isLocal(address: string): boolean {
  return address !== '' && fileIdAt(address) === undefined && !/^(?:[a-z][a-z\d+.-]*:|\/\/|#)/i.test(address);
}

async function headOf(path: string): Promise<Uint8Array> {
  const handle = await open(path);
  try {
    const { buffer, bytesRead } = await handle.read(new Uint8Array(headBytes), 0, headBytes, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
