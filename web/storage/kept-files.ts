import type { UploadPlace } from './client.ts';
import { files } from './file-database.ts';

/** The most bytes that this browser keeps for an account: thirty photos, or a minute of video. */
const mostBytes = 256 * 1024 * 1024;

/** A file whose upload has not finished. */
export type KeptFile = {
  id: string;
  file: File;
  /** Whether it becomes an attachment, or is in the text. */
  isAttached: boolean;
  /** The state of its upload. */
  place?: UploadPlace;
  /** The key of its text. */
  under: string;
};

const keyOf = ({ under, id }: Pick<KeptFile, 'under' | 'id'>) => `${under}:${id}`;
const placeOf = (kept: Pick<KeptFile, 'under' | 'id'>) => `${keyOf(kept)}:place`;

/** Keeps a file with a text. Resolves with false if this browser has no space for it. */
export async function keepFile(kept: KeptFile): Promise<boolean> {
  const { under, file, isAttached, place } = kept;
  const others = await files.valuesWith(accountOf(under)).catch(() => undefined);
  if (others === undefined) return false;
  const used = others.reduce((sum, [, value]) => sum + ('file' in value ? value.file.size : 0), 0);
  if (used + file.size > mostBytes) return false;
  const isKept = await files.put(keyOf(kept), { file, isAttached }).then(
    () => true,
    () => false,
  );
  if (isKept && place !== undefined) await keepPlace(kept, place);
  return isKept;
}

/** Stores the state of an upload. Without it, the upload would begin again. */
export async function keepPlace(of: Pick<KeptFile, 'under' | 'id'>, place: UploadPlace): Promise<void> {
  await files.put(placeOf(of), { place }).catch(() => {});
}

/** The files kept with a text. */
export async function keptFiles(under: string): Promise<KeptFile[]> {
  const values = new Map(await files.valuesWith(`${under}:`).catch(() => []));
  return [...values].flatMap(([key, value]) => {
    if (!('file' in value)) return [];
    const id = key.slice(under.length + 1);
    const at = values.get(placeOf({ under, id }));
    return [{ ...value, id, under, ...(at !== undefined && 'place' in at && { place: at.place }) }];
  });
}

export async function forgetFile(kept: Pick<KeptFile, 'under' | 'id'>): Promise<void> {
  await files.removeWith(keyOf(kept)).catch(() => {});
}

export async function textsWithFiles(prefix: string): Promise<string[]> {
  const keys = (await files.valuesWith(prefix).catch(() => [])).map(([key]) => partsOf(key, 4));
  return [...new Set(keys)];
}

/** The first parts of a key, as web/ui/unsaved-key.ts joins them: kind, account, post and save key. */
const partsOf = (key: string, count: number) => key.split(':').slice(0, count).join(':');
const accountOf = (key: string) => `${partsOf(key, 2)}:`;
