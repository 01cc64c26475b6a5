import { expect } from 'vitest';
import type { Source } from '../../server/moving/import/draft.ts';
import { parseHashConfig } from '../../server/moving/import/firebase/auth-export.ts';
import { firebaseSource } from '../../server/moving/import/firebase/source.ts';
import type { ImportedItem } from '../../server/moving/import/report.ts';
import { runImport } from '../../server/moving/import/run.ts';
import { documents, emailOf, hashConfig, hashed, passwordOf, users } from './firebase-project.ts';
import { firestoreExport } from './firestore-export.ts';
import { png } from './png.ts';
import { post, type Site } from './site.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** A folder for a Firebase project, and its import. To be called once, at the top of a test file. */
export function firebaseImport() {
  const { at, write } = temporaryFolder();

  /** Writes the whole project of `firebase-project.ts`: database, accounts and bucket. */
  async function writeProject(): Promise<void> {
    const accounts = Object.keys(users).map(id => ({
      localId: id,
      email: emailOf(id),
      emailVerified: true,
      createdAt: '1577880000000',
      ...hashed(passwordOf(id)),
    }));
    await write({
      'export/firestore_export/all_namespaces/all_kinds/output-0': firestoreExport(documents()),
      'export/auth_export/accounts.json': JSON.stringify({ users: accounts }),
      'bucket/posts/170_river.png': png,
      'bucket/posts/171_boat.mp4': Buffer.from('000000186674797069736f6d0000020069736f6d69736f32', 'hex'),
    });
  }

  async function sourceOf(options: { folder?: string; storage?: string } = {}) {
    return await firebaseSource({
      folder: at('export'),
      storage: at('bucket'),
      parameters: parseHashConfig(hashConfig),
      ...options,
    });
  }

  /** Imports the project, or as many items of it as `until` says. Returns what became of each. */
  async function run(
    site: Site,
    {
      isDryRun = false,
      until = Number.POSITIVE_INFINITY,
      source = sourceOf(),
    }: { isDryRun?: boolean; until?: number; source?: Promise<Source> } = {},
  ) {
    const items: ImportedItem[] = [];
    for await (const item of runImport(site.deps, await source, { authorId: null, isDryRun })) {
      items.push(item);
      if (items.length >= until) break;
    }
    return items;
  }
  return { at, write, writeProject, sourceOf, run };
}

/** Somebody of the project, signed in here with the password that they had there. */
export async function signIn(site: Site, id: string, password = passwordOf(id)) {
  const answer = await post(site, 'signIn', { email: emailOf(id), password });
  expect([id, answer.status]).toEqual([id, 200]);
  return answer;
}

/** What an import writes, to compare two of them. */
export const stateOf = async ({ deps: { db } }: Site) => ({
  posts: await db.selectFrom('posts').selectAll().orderBy('id').execute(),
  users: await db
    .selectFrom('users')
    .select(['id', 'username', 'status', 'is_admin'])
    .orderBy('id')
    .execute(),
  // The id of what a long comment goes on in differs from site to site.
  comments: (await db.selectFrom('comments').selectAll().orderBy('created_at').execute()).map(
    ({ id, ...row }) => ({
      ...row,
      id: id.startsWith('comment') ? id : '',
    }),
  ),
  likes: await db.selectFrom('likes').selectAll().orderBy('user_id').execute(),
  files: await db.selectFrom('files').select(['path', 'size', 'digest']).orderBy('path').execute(),
  postFiles: await db.selectFrom('post_files').select('post_id').orderBy('post_id').execute(),
  tags: (await db.selectFrom('tags').select('name').execute()).map(tag => tag.name).sort(),
});
