import type { ArchiveSource } from '../moving/archive/source.ts';
import { examineSite, type Finding } from './examine.ts';
import { withCopy } from './with-copy.ts';

/**
 * Restores an archive into a folder beside it and examines the resulting site, which is then deleted. Returns
 * what is broken. Throws as {@link withCopy} does.
 */
export async function rehearse(
  archive: ArchiveSource,
  roomIn?: (folder: string) => Promise<number>,
): Promise<Finding[]> {
  return await withCopy(archive, { prefix: '.rehearsal-', databases: 1, roomIn }, examineSite);
}
