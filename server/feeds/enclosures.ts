import { sql } from 'kysely';
import { Id } from '../../contract/values.ts';
import type { ReadContext } from '../access/context.ts';
import { type Viewer, viewerOfUser } from '../access/viewer.ts';
import { isSigned, sign } from '../base/secrets.ts';
import type { Config } from '../config.ts';
import { dialectOf } from '../db/dialect.ts';
import { fileAddress } from '../files/address.ts';
import { isPlayed } from '../files/played.ts';
import { representationOf, wantedOf } from '../files/representation.ts';

/** A sound or video of a post, for podcast programs. */
export type Enclosure = {
  postId: string;
  fileId: string;
  url: string;
  type: string;
  /** Bytes. */
  size: number;
  /** Its duration; undefined if unknown. */
  seconds: number | undefined;
  name: string;
};

/** The personal feed that addresses are made for; undefined for the public feed. */
export type OwnFeed = { userId: string; digest: string } | undefined;

/**
 * The sounds and videos of posts that a reader has just been given. In a personal feed each address carries a
 * signature for this file and this feed, for programs without a session; it opens nothing else, and ends with
 * the feed.
 */
export async function enclosuresOf(
  { db, config, secret }: Pick<ReadContext, 'db'> & { config: Config; secret: string },
  postIds: readonly string[],
  feed: OwnFeed,
): Promise<ReadonlyMap<string, Enclosure[]>> {
  if (postIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('post_files')
    .innerJoin('files', 'files.id', 'post_files.file_id')
    .selectAll('files')
    .select('post_files.post_id as postId')
    .where(dialectOf(db).inList(sql.ref('post_files.post_id'), postIds))
    .where(isPlayed)
    .orderBy('files.created_at')
    .orderBy('files.id')
    .execute();
  const enclosures = rows.map(({ postId, ...file }) => {
    const { name, type, size, seconds } = representationOf(file, wantedOf(file.type, ''));
    const query =
      feed === undefined ? '' : `?feed=${feed.userId}.${sign(secret, 'enclosure', textOf(feed, file.id))}`;
    const url = `${config.publicUrl}${fileAddress(file.id, name)}${query}`;
    return { postId, fileId: file.id, name, type, size, seconds, url };
  });
  return Map.groupBy(enclosures, ({ postId }) => postId);
}

/**
 * The viewer whose feed signed an address of a file, with their current rights; undefined if that feed has
 * ended.
 */
export async function viewerOfEnclosure(
  { db, catalogue, secret }: ReadContext & { secret: string },
  fileId: string,
  token: string,
): Promise<Viewer | undefined> {
  const [userId = '', signature = ''] = token.split('.');
  // PostgreSQL refuses text with a NUL.
  if (!Id.safeParse(userId).success) return undefined;
  const feeds = db.selectFrom('personal_feeds').select('digest').where('user_id', '=', userId);
  const feed = await feeds.executeTakeFirst();
  if (feed === undefined || !isSigned(secret, 'enclosure', textOf({ userId, ...feed }, fileId), signature))
    return undefined;
  const viewer = await viewerOfUser(db, userId, (await catalogue()).defaultTagIds);
  return viewer.role === 'visitor' ? undefined : viewer;
}

const textOf = ({ userId, digest }: NonNullable<OwnFeed>, fileId: string) => `${userId} ${digest} ${fileId}`;
