import { forgetFiles } from '../../storage/file-database.ts';
import { textsWithFiles } from '../../storage/kept-files.ts';
import { unsavedKey } from '../../ui/unsaved-key.ts';
import { copyAt } from './browser-copy.ts';
import { whileOpen } from './open-copies.ts';

/**
 * Deletes the files of an account whose text is gone: a browser may have been killed before it was stored.
 */
export async function forgetLeftFiles(userId: string): Promise<void> {
  const isGone = async (key: string) => (await copyAt(key)) === undefined;
  for (const key of await textsWithFiles(unsavedKey('coterie-draft', userId, ''))) {
    if (!(await isGone(key))) continue;
    await whileOpen(key, async () => {
      if (await isGone(key)) await forgetFiles(`${key}:`);
    });
  }
}
