import type { Kysely } from 'kysely';
import { faceAt, facePicture } from '../../../contract/site-pictures.ts';
import type { ReadContext } from '../../access/context.ts';
import { readablePosts } from '../../access/posts.ts';
import type { Viewer } from '../../access/viewer.ts';
import { shortDigest } from '../../base/secrets.ts';
import type { Tables } from '../../db/tables.ts';
import { inTransaction, type WriteContext } from '../../db/transaction.ts';
import { decode } from '../../files/media/processes.ts';
import { takeAttempt } from '../../limits/attempts.ts';

/**
 * Sets the picture of an account, or removes it. Returns its address. Throws invalid-argument if it is not a
 * picture, and resource-exhausted after thirty in an hour, because decoding takes time.
 */
export async function setFace(
  context: WriteContext,
  userId: string,
  sent: string | null,
): Promise<string | null> {
  const bytes = sent === null ? null : await cropped(context, userId, sent);
  return faceAt(userId, await inTransaction(context, trx => writeFace(trx, userId, bytes)));
}

/** Sets or removes the picture of an account, within a transaction. Returns the name of the picture. */
export async function writeFace(
  trx: Kysely<Tables>,
  userId: string,
  bytes: Buffer | null,
): Promise<string | null> {
  const name = bytes && shortDigest(bytes);
  await trx.updateTable('users').set({ image: name }).where('id', '=', userId).execute();
  await trx.deleteFrom('faces').where('user_id', '=', userId).execute();
  if (bytes !== null) {
    await trx
      .insertInto('faces')
      .values({ user_id: userId, picture: bytes.toString('base64') })
      .execute();
  }
  return name;
}

async function cropped(context: WriteContext, userId: string, sent: string): Promise<Buffer> {
  await takeAttempt(context, { name: `face of ${userId}`, points: 30, seconds: 3_600 });
  const { sizes, ratio, type } = facePicture;
  return await decode(userId, 'croppedPicture', Buffer.from(sent, 'base64'), {
    width: sizes[0],
    ratio,
    type,
  });
}

/**
 * The picture of an account under this name, for viewers who may see its owner's name; otherwise undefined.
 */
export async function readFace(
  deps: ReadContext,
  viewer: Viewer,
  { userId, name }: { userId: string; name: string },
): Promise<Buffer | undefined> {
  const face = await deps.db
    .selectFrom('faces')
    .innerJoin('users', 'users.id', 'faces.user_id')
    .select('picture')
    .where('user_id', '=', userId)
    .where('users.image', '=', name)
    .executeTakeFirst();
  if (face === undefined || !(await isNamedTo(deps, viewer, userId))) return undefined;
  return Buffer.from(face.picture, 'base64');
}

/**
 * Whether the viewer may see the name of an account: as an admin, or on a post or comment that they may read.
 */
async function isNamedTo(deps: ReadContext, viewer: Viewer, userId: string): Promise<boolean> {
  if (viewer.role === 'admin' || viewer.user?.id === userId) return true;
  const posts = readablePosts(deps.db, await deps.catalogue(), viewer)
    .select('posts.id')
    .limit(1);
  const written = posts.where('posts.author_id', '=', userId);
  const { namesAuthors } = await deps.settings();
  if (namesAuthors === 'true' && (await written.executeTakeFirst()) !== undefined) return true;
  // Visitors read no comments (decision 13).
  if (viewer.role === 'visitor') return false;
  const commented = posts
    .innerJoin('comments', 'comments.post_id', 'posts.id')
    .where('comments.user_id', '=', userId)
    .where('comments.is_deleted', '=', false)
    .where('comments.hidden_at', 'is', null);
  return (await commented.executeTakeFirst()) !== undefined;
}
