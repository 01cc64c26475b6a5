import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { copies } from '../files/store.ts';
import { type MarkdownExport, type MarkdownExportDeps, writeMarkdown } from './markdown-export.ts';

type ZipOptions = { stopping?: AbortSignal; onPost?: (written: number) => Promise<void> };

/** {@link writeMarkdown} into a zip archive, a new file at `path`. Aborting `stopping` leaves a part of it there, and throws. */
export async function exportMarkdownZip(
  deps: MarkdownExportDeps,
  path: string,
  { stopping: signal, onPost }: ZipOptions = {},
): Promise<MarkdownExport> {
  const zip = new ZipFile();
  const target = createWriteStream(path, { flags: 'wx', mode: 0o600 });
  const isWritten = pipeline(zip.outputStream, target, { signal });
  // An entry that waits for room would wait for ever.
  const failed = new Promise<never>((_, reject) => void isWritten.catch(reject));
  failed.catch(() => {});
  const told = await writeMarkdown(deps, {
    write: async (name, bytes) => {
      const entry = Readable.from(copies(bytes), { objectMode: false });
      // Pictures and films are compressed already.
      zip.addReadStream(entry, name, { compress: name.endsWith('.md') });
      await Promise.race([finished(entry), failed]);
    },
    onPost,
  });
  zip.end();
  await isWritten;
  return told;
}
