import { BrowserDatabase } from '../ui/browser-database.ts';
import type { UploadPlace } from './client.ts';

/** The place is a separate value: stored with the file, each change of it would copy the file. */
type Stored = { file: File; isAttached: boolean } | { place: UploadPlace };

/** Files whose upload has not finished, by the keys of their texts. */
export const files = new BrowserDatabase<Stored>('coterie-files', 'files');

/** Deletes the files of all texts whose keys have this prefix; with a colon at its end, those of one text. */
export async function forgetFiles(prefix: string): Promise<void> {
  await files.removeWith(prefix).catch(() => {});
}
