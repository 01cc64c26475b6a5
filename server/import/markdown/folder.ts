import { opendir, realpath, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { AppError } from '../../../contract/errors.ts';

/** The real path of a folder. Throws not-found. */
export async function folderOf(folder: string): Promise<string> {
  const root = await realpath(folder).catch(() => undefined);
  if (root === undefined || !(await stat(root)).isDirectory()) {
    throw new AppError('not-found', `There is no folder ${folder}.`);
  }
  return root;
}

/**
 * Paths of the files within the folder, with slashes, in alphabetical order, and whether Obsidian keeps its settings in it. Symbolic
 * links are not followed: none leads out or in circles.
 */
export async function filesIn(root: string): Promise<{ paths: string[]; isObsidian: boolean }> {
  let isObsidian = false;
  const found: string[] = [];
  const visit = async (folder: string) => {
    for await (const entry of await opendir(folder)) {
      if (entry.name === '.obsidian') isObsidian = true;
      if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
      const path = join(folder, entry.name);
      if (entry.isDirectory()) await visit(path);
      else if (entry.isFile()) found.push(relative(root, path).replaceAll(sep, '/'));
    }
  };
  await visit(root);
  return { paths: found.sort(), isObsidian };
}

export const isMarkdownFile = (path: string) => /\.(?:md|mdx|markdown)$/i.test(path);
