import { join } from 'node:path';
import type { Kysely } from 'kysely';
import { examine } from '../../server/cli/examine.ts';
import { openDatabase } from '../../server/db/connect.ts';
import type { Tables } from '../../server/db/tables.ts';
import { anyFolder, folderStore } from '../../server/files/store/folder-store.ts';
import type { Location } from '../support/site.ts';
import type { Done } from './explain.ts';
import { newAccount } from './model/accounts.ts';
import type { Told } from './model/act.ts';
import { commentAt } from './model/comment-acts.ts';
import { wordsAt } from './model/post-words.ts';
import { newFile, renamedAt } from './model/site-acts.ts';
import { labelOf } from './model/way-acts.ts';
import type { Post } from './model/world.ts';
import { wordFor } from './words.ts';

/**
 * Adds to deeds that a killed server did not answer what they have left in the database: a deed that makes
 * something with a unique word has happened if that word is there, and has not if it is not.
 */
export async function findLost(location: Location, done: readonly Done[]): Promise<readonly Done[]> {
  if (done.every(({ outcome }) => outcome !== 'lost')) return done;
  const { db, close } = await openDatabase(location);
  try {
    return await Promise.all(
      done.map(async each =>
        each.outcome === 'lost' ? { ...each, ...(await foundOf(db, each.step)) } : each,
      ),
    );
  } finally {
    await close();
  }
}

/** What `coterie doctor` finds on a site, over a separate connection. */
export async function damage(location: Location): Promise<string[]> {
  const { db, close } = await openDatabase(location);
  try {
    const found = await examine({ db, files: folderStore(join(location.dataDir, 'files'), anyFolder) });
    return found.map(finding => `doctor: ${JSON.stringify(finding)}`);
  } finally {
    await close();
  }
}

/** Empty where the database does not show whether it happened. */
async function foundOf(db: Kysely<Tables>, step: Done['step']): Promise<{ found?: Told | 'nothing' }> {
  const row = await rowOf(db, step);
  if (row === undefined) return {};
  return { found: row ?? 'nothing' };
}

/** What the deed has made: null if that is not there, undefined for a deed that makes nothing. */
async function rowOf(db: Kysely<Tables>, step: Done['step']): Promise<Told | null | undefined> {
  const { at } = step;
  switch (step.do) {
    case 'signUp':
    case 'join': {
      const { username } = newAccount(at, {});
      return await idIn(db.selectFrom('users').where('username', '=', username).select('id').execute());
    }
    case 'write':
    case 'edit': {
      return await findPost(db, step);
    }
    case 'comment': {
      return await findComment(db, at);
    }
    case 'upload': {
      const { path } = newFile(at, step.isPicture);
      return await idIn(db.selectFrom('files').where('path', '=', path).select('id').execute());
    }
    case 'finishUpload': {
      const { path } = newFile(Number(step.upload.slice(1)), false);
      return await idIn(db.selectFrom('files').where('path', '=', path).select('id').execute());
    }
    case 'makeToken': {
      const label = wordFor(`label of k${at}`);
      return await idIn(db.selectFrom('access_tokens').where('name', '=', label).select('id').execute());
    }
    case 'invite': {
      const name = labelOf(`i${at}`);
      return await idIn(db.selectFrom('invitations').where('name', '=', name).select('id').execute());
    }
    case 'acceptProposal':
      return await idIn(db.selectFrom('invitations').where('email', '=', step.email).select('id').execute());
    case 'renameTag': {
      const name = renamedAt(step.tag, at);
      return await idIn(db.selectFrom('tags').where('name', '=', name).select('id').execute());
    }
    case 'addPasskey': {
      const name = labelOf(`y${at}`);
      return await idIn(db.selectFrom('passkeys').where('name', '=', name).select('id').execute());
    }
    default:
      return undefined;
  }
}

/** The comment that a step has written. */
export async function findComment(db: Kysely<Tables>, at: number): Promise<Told | null> {
  const comment = await db
    .selectFrom('comments')
    .select(['id', 'created_at'])
    .where('content', 'like', `%${commentAt(at)}%`)
    .executeTakeFirst();
  return comment === undefined ? null : { id: comment.id, createdAt: moment(comment.created_at) };
}

/** The post that a step has written, found by a word that is in no other post. */
export async function findPost(
  db: Kysely<Tables>,
  { at, type }: { at: number; type: Post['type'] },
): Promise<Told | null> {
  const post = await db
    .selectFrom('posts')
    .select(['id', 'created_at', 'published_at'])
    .where('text', 'like', `%${wordsAt(at, type).head}%`)
    .executeTakeFirst();
  if (post === undefined) return null;
  const publishedAt = post.published_at === null ? {} : { publishedAt: moment(post.published_at) };
  return { id: post.id, createdAt: moment(post.created_at), ...publishedAt };
}

async function idIn(rows: Promise<{ id: string }[]>): Promise<Told | null> {
  const [row] = await rows;
  return row === undefined ? null : { id: row.id };
}

const moment = (time: number) => new Date(time).toISOString();
