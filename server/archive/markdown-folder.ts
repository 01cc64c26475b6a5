import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { AppError } from '../../contract/errors.ts';
import type { PostRow } from '../db/tables.ts';
import type { Deps } from '../deps.ts';
import { fileIdAt } from '../files/address.ts';
import { whileBytesAreKept } from '../files/kept-bytes.ts';
import { isMissingBytes } from '../files/missing-bytes.ts';
import { findReferences, withAddresses } from '../import/references.ts';
import { folderNameOf, markdownOf, namesOf } from './markdown-post.ts';

type Exporting = Pick<Deps, 'db' | 'catalogue' | 'files' | 'clock'>;

const postsAtOnce = 50;

export type MarkdownExport = { folder: string; posts: number; files: number; missing: string[] };

/**
 * Writes every post as Markdown with front matter into a folder of its own, with its files and comments, such that
 * `coterie import` takes all of it back and a site generator can use it. Throws failed-precondition for a folder that is
 * not empty. The folder has its name once it is whole.
 */
export async function exportMarkdown(exporting: Exporting, target: string): Promise<MarkdownExport> {
  const folder = resolve(target);
  const present = await readdir(folder).catch(() => []);
  if (present.length > 0) {
    throw new AppError('failed-precondition', `${folder} is not empty: it holds ${present[0]}.`);
  }
  const unfinished = join(dirname(folder), `${basename(folder)}.unfinished`);
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { recursive: true });
  const told = { folder, posts: 0, files: 0, missing: [] as string[] };
  await whileBytesAreKept(exporting, () => writePosts(exporting, unfinished, told));
  await rmdir(folder).catch(() => {});
  await rename(unfinished, folder);
  return told;
}

async function writePosts(exporting: Exporting, folder: string, told: MarkdownExport): Promise<void> {
  // Names of folders, each once: a title may be used again on the same day.
  const names = new Set<string>();
  for (let after = ''; ; ) {
    const posts = await exporting.db
      .selectFrom('posts')
      .selectAll()
      .where('id', '>', after)
      .orderBy('id')
      .limit(postsAtOnce)
      .execute();
    for (const post of posts) {
      const name = folderNameOf(post, names);
      names.add(name);
      await writePost(exporting, join(folder, name), post, told);
      told.posts += 1;
    }
    const last = posts.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}

async function writePost(
  exporting: Exporting,
  folder: string,
  post: PostRow,
  told: MarkdownExport,
): Promise<void> {
  const { db } = exporting;
  const catalogue = await exporting.catalogue();
  const [files, attachments, comments] = await Promise.all([
    db
      .selectFrom('post_files')
      .innerJoin('files', 'files.id', 'post_files.file_id')
      .select(['files.id', 'files.name'])
      .where('post_id', '=', post.id)
      .orderBy('files.id')
      .execute(),
    db.selectFrom('attachments').selectAll().where('post_id', '=', post.id).orderBy('position').execute(),
    db
      .selectFrom('comments')
      .leftJoin('users', 'users.id', 'comments.user_id')
      .selectAll('comments')
      .select('users.name as user_name')
      .where('post_id', '=', post.id)
      .orderBy('comments.created_at')
      .orderBy('comments.id')
      .execute(),
  ]);
  await mkdir(folder);
  const names = namesOf(files);
  for (const [id, name] of names) {
    if (await writeFileOf(exporting.files, id, join(folder, name))) told.files += 1;
    else told.missing.push(id);
  }
  const nameAt = (address: string) => names.get(fileIdAt(address) ?? '');
  const replacements = findReferences(post.content, address => nameAt(address) !== undefined).flatMap(
    reference => {
      const address = nameAt(reference.address);
      return address === undefined ? [] : { reference, address };
    },
  );
  const text = markdownOf(
    post,
    withAddresses(post.content, replacements),
    { files, names, nameAt, attachments, comments },
    catalogue,
  );
  await writeFile(join(folder, 'index.md'), text);
}

async function writeFileOf(store: Deps['files'], id: string, path: string): Promise<boolean> {
  try {
    await pipeline(copies(store.read(id)), createWriteStream(path));
    return true;
  } catch (error) {
    if (!isMissingBytes(error)) throw error;
    await rm(path, { force: true });
    return false;
  }
}

/** A stream reads ahead, and a store uses its memory again. */
async function* copies(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) yield Uint8Array.from(chunk);
}
