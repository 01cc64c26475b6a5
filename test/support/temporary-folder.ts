import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, onTestFinished } from 'vitest';
import { scratchFolder } from './scratch.ts';

/** A folder that each test of a file has anew, empty. To be called once, at the top of the file. */
export function temporaryFolder() {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(scratchFolder(), 'coterie-folder-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));
  /** The path of something in it. */
  const at = (...names: string[]) => join(folder, ...names);
  const write = async (files: Record<string, string | Buffer>): Promise<void> => {
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(at(path)), { recursive: true });
      await writeFile(at(path), content);
    }
  };
  return { at, write };
}

/** An empty folder, which goes with the test that is running. */
export async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(scratchFolder(), 'coterie-folder-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
