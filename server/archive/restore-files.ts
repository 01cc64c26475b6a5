import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { FileStore } from '../files/store.ts';
import { checked, readEntries, readPart } from './archive-reader.ts';
import { digestOfFile, kindOfPart, parseStored, storedKind } from './format.ts';
import type { ArchiveSource } from './source.ts';

/** Puts the files of an archive into a store. `folder` holds each until no more keys can name it. */
export async function restoreFiles(
  store: FileStore,
  folder: string,
  archive: ArchiveSource,
  repeated: ReadonlySet<string>,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  for await (const entry of readEntries(archive)) {
    const sha256 = digestOfFile(entry.name);
    if (sha256 !== undefined) {
      await pipeline(checked(entry, sha256), createWriteStream(join(folder, sha256), { mode: 0o600 }));
    } else if (kindOfPart(entry.name) === storedKind) {
      const { lines } = await readPart(entry);
      const stored = lines.map(line => parseStored(line, entry.name));
      await store.putMany(stored.map(({ key, sha256 }) => ({ key, path: join(folder, sha256) })));
      for (const { sha256: named } of stored) {
        if (!repeated.has(named)) await rm(join(folder, named), { force: true });
      }
    }
  }
}
