import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { FileStore } from '../files/store.ts';
import { checked, readEntries, readPart } from './archive-reader.ts';
import { digestOfFile, kindOfPart, type Stored, storedKind } from './format.ts';
import type { ArchiveSource } from './source.ts';
import { parseStored } from './verify.ts';

const sideBySide = 8;

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
      await putAll(store, folder, stored);
      for (const { sha256: named } of stored) {
        if (!repeated.has(named)) await rm(join(folder, named), { force: true });
      }
    }
  }
}

async function putAll(store: FileStore, folder: string, stored: readonly Stored[]): Promise<void> {
  const left = stored.values();
  const work = async () => {
    for (const { key, sha256 } of left) await store.put(key, join(folder, sha256));
  };
  await Promise.all(Array.from({ length: sideBySide }, work));
}
