import { type ArchiveEntry, checked, readAll, readEntries, readPart } from './archive-reader.ts';
import {
  compact,
  damaged,
  digestOfFile,
  kindOfPart,
  type Manifest,
  manifestName,
  maxManifestBytes,
  type Part,
  parseManifest,
  parseStored,
  storedKind,
} from './format.ts';
import type { ArchiveSource } from './source.ts';

export type Verified = {
  manifest: Manifest;
  /** SHA-256 of files that are stored under several keys. */
  repeated: ReadonlySet<string>;
  rowBytes: number;
};

/**
 * Reads an archive completely and compares every check sum and count. Throws invalid-argument that names what
 * is damaged.
 */
export async function verifyArchive(archive: ArchiveSource): Promise<Verified> {
  const found = new Found();
  for await (const entry of readEntries(archive)) await found.take(entry);
  return found.verified(archive.name);
}

/** Collects what is found in an archive while it is read. */
class Found {
  readonly #parts: Part[] = [];
  /** How many keys have named a file, by its SHA-256. */
  readonly #files = new Map<string, number>();
  readonly #repeated = new Set<string>();
  #bytes = 0;
  #rowBytes = 0;
  #manifest: Manifest | undefined;

  async take(entry: ArchiveEntry): Promise<void> {
    const { name } = entry;
    const kind = kindOfPart(name);
    const sha256 = digestOfFile(name);
    // The manifest is the last entry.
    if (this.#manifest !== undefined) throw damaged(name);
    if (kind !== undefined) await this.#takePart(entry, kind);
    else if (sha256 !== undefined) await this.#takeFile(entry, sha256);
    else if (name === manifestName)
      this.#manifest = parseManifest((await readAll(entry, maxManifestBytes)).toString());
    else throw damaged(name);
  }

  async #takePart(entry: ArchiveEntry, kind: string): Promise<void> {
    const { lines, bytes, sha256 } = await readPart(entry);
    this.#rowBytes += bytes;
    this.#parts.push({ name: entry.name, rows: lines.length, sha256 });
    if (kind !== storedKind) return;
    for (const stored of lines.map(line => parseStored(line, entry.name))) {
      const digest = compact(stored.sha256);
      const names = this.#files.get(digest);
      if (names === undefined) throw damaged(entry.name);
      if (names === 1) this.#repeated.add(stored.sha256);
      this.#files.set(digest, names + 1);
    }
  }

  async #takeFile(entry: ArchiveEntry, sha256: string): Promise<void> {
    const digest = compact(sha256);
    if (this.#files.has(digest)) throw damaged(entry.name);
    for await (const chunk of checked(entry, sha256)) this.#bytes += chunk.length;
    this.#files.set(digest, 0);
  }

  verified(name: string): Verified {
    const manifest = this.#manifest;
    if (manifest === undefined) throw damaged(`${name} has no ${manifestName}, so it`);
    const parts = new Map(this.#parts.map(part => [part.name, part]));
    for (const { rows, parts: expected } of Object.values(manifest.kinds)) {
      for (const part of expected) {
        const is = parts.get(part.name);
        if (is?.sha256 !== part.sha256 || is.rows !== part.rows) throw damaged(part.name);
        parts.delete(part.name);
      }
      if (rows !== expected.reduce((sum, part) => sum + part.rows, 0)) throw damaged(manifestName);
    }
    const [unexpected] = parts.keys();
    if (unexpected !== undefined) throw damaged(unexpected);
    const { count, bytes } = manifest.files;
    if (count !== this.#files.size || bytes !== this.#bytes) throw damaged(manifestName);
    return { manifest, repeated: this.#repeated, rowBytes: this.#rowBytes };
  }
}
