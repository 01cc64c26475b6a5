import { join } from 'node:path/posix';
import { AppError } from '../../../contract/errors.ts';
import { catalogueOf } from '../../access/audience.ts';
import type { ReadContext } from '../../access/context.ts';
import type { Config } from '../../config.ts';
import type { PostRow } from '../../db/tables.ts';
import type { DbContext } from '../../db/transaction.ts';
import { fileIdAt } from '../../files/address.ts';
import { holdDeletions } from '../../files/store/deletion-hold.ts';
import type { Chunks, FileStore } from '../../files/store/store.ts';
import { ownKey } from '../../files/variant.ts';
import { authorColumn } from '../../posts/describe.ts';
import { findReferences, fragmentOf, type Reference, withAddresses } from '../import/references.ts';
import { folderNameOf, markdownOf, namesOf } from './markdown-post.ts';

export type MarkdownExportDeps = DbContext & ReadContext & { config: Config; files: FileStore };

const postsAtOnce = 50;

/** The number of written posts, and the ids of files whose bytes were missing. */
export type MarkdownExport = { posts: number; files: number; missing: string[] };

/**
 * The target of an export. `path` has slashes; each is written once. A chunk is reused once the next is
 * requested.
 */
export type MarkdownTarget = {
  write(path: string, bytes: Chunks): Promise<void>;
  /** Called with the number of posts written so far. If it throws, the export ends. */
  onPost?: ((written: number) => Promise<void>) | undefined;
};

/**
 * Writes every post as Markdown with front matter into a folder of its own, with its files and comments, so
 * that `coterie import` reads all of it back and a site generator can use it.
 */
export async function writeMarkdown(
  deps: MarkdownExportDeps,
  target: MarkdownTarget,
): Promise<MarkdownExport> {
  const result: MarkdownExport = { posts: 0, files: 0, missing: [] };
  await holdDeletions(deps, async () => {
    // Names of folders, each once: a title may be used twice on one day.
    const names = new Set<string>();
    const { timeZone } = await deps.settings();
    for await (const post of postsOf(deps)) {
      const name = folderNameOf(post, timeZone, names);
      names.add(name);
      await writePost(deps, { target, folder: name }, post, result);
      result.posts += 1;
      await target.onPost?.(result.posts);
    }
  });
  return result;
}

type Post = PostRow & { author_username: string | null };

async function* postsOf({ db }: MarkdownExportDeps): AsyncGenerator<Post> {
  let last: Post | undefined;
  do {
    const posts: Post[] = await db
      .selectFrom('posts')
      .selectAll()
      .select(authorColumn)
      .where('id', '>', last?.id ?? '')
      .orderBy('id')
      .limit(postsAtOnce)
      .execute();
    yield* posts;
    last = posts.at(-1);
  } while (last !== undefined);
}

async function writePost(
  deps: MarkdownExportDeps,
  { target, folder }: { target: MarkdownTarget; folder: string },
  post: Post,
  result: MarkdownExport,
): Promise<void> {
  const { db } = deps;
  // The site goes on meanwhile, so a post may have a combination of tags that this process has not loaded
  // yet.
  const catalogue = await catalogueOf(db, await deps.catalogue(), [post]);
  const [files, attachments, comments] = await Promise.all([
    db
      .selectFrom('post_files')
      .innerJoin('files', 'files.id', 'post_files.file_id')
      .select(['files.id', 'files.name', 'files.variants'])
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
      .where('comments.is_deleted', '=', false)
      .orderBy('comments.created_at')
      .orderBy('comments.id')
      .execute(),
  ]);
  const names = namesOf(files);
  const keys = new Map(files.map(file => [file.id, ownKey(file)]));
  for (const [id, name] of names) {
    const key = keys.get(id) ?? id;
    if ((await deps.files.size(key)) === undefined) {
      result.missing.push(id);
      continue;
    }
    await target.write(join(folder, name), deps.files.read(key));
    result.files += 1;
  }
  const { publicUrl } = deps.config;
  const nameAt = (address: string) => {
    const path = address.startsWith(`${publicUrl}/`) ? address.slice(publicUrl.length) : address;
    return names.get(fileIdAt(path.replace(/[?#].*$/s, '')) ?? '');
  };
  const replacements = referencesIn(post.content, address => nameAt(address) !== undefined).flatMap(
    reference => {
      const name = nameAt(reference.address);
      if (name === undefined) return [];
      const address = name + fragmentOf(reference.address);
      return reference.isBare ? asLink(post.content, reference, address) : { reference, address };
    },
  );
  const text = markdownOf(
    post,
    withAddresses(post.content, replacements),
    {
      site: publicUrl,
      author: post.author_username,
      files,
      names,
      nameAt,
      attachments,
      comments,
    },
    catalogue,
  );
  await target.write(join(folder, 'index.md'), [Buffer.from(text)]);
}

/** Without its host a bare address would be plain words. */
function asLink(content: string, { start, end, ...reference }: Reference, address: string) {
  const brackets = content[start - 1] === '<' ? 1 : 0;
  const whole = { ...reference, start: start - brackets, end: end + brackets };
  return { reference: whole, address: `[${address}](${address})` };
}

/**
 * None in a text that takes too long to parse: its addresses stay unchanged, and the export of other posts
 * goes on.
 */
function referencesIn(content: string, isOwn: (address: string) => boolean): Reference[] {
  try {
    return findReferences(content, isOwn);
  } catch (error) {
    if (error instanceof AppError) return [];
    throw error;
  }
}
