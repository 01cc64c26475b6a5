import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Config } from '../config.ts';
import { readSetting, writeSettingOnce } from '../db/setting.ts';
import type { Tables } from '../db/tables.ts';

/** The ids of the feed are made from this. It never changes, or programs would show every post as new. */
const FeedIds = z.object({
  /** The prefix of new posts' ids: the tag URI of a host and a day on which the site had it (RFC 4151). */
  tag: z.string(),
  /** The address in ids from before tag URIs, and the time in milliseconds before which posts have it. */
  old: z.object({ address: z.string(), before: z.number() }).nullable(),
});
export type FeedIds = z.output<typeof FeedIds>;

/**
 * The feed's ids, fixed at the first start with a public host. Undefined until the site has one: until then
 * the ids are addresses.
 */
export async function feedIds(
  db: Kysely<Tables>,
  { publicUrl }: Pick<Config, 'publicUrl'>,
  now: number,
): Promise<FeedIds | undefined> {
  const known = await readSetting(db, 'feed-ids');
  if (known !== undefined) return FeedIds.parse(JSON.parse(known));
  const { hostname } = new URL(publicUrl);
  // Names without a dot, and IP addresses, belong to nobody.
  if (!/\.[a-z][a-z0-9-]*$/i.test(hostname)) return undefined;
  const post = await db.selectFrom('posts').select('id').limit(1).executeTakeFirst();
  const ids: FeedIds = {
    tag: `tag:${hostname},${new Date(now).toISOString().slice(0, 10)}:`,
    old: post === undefined ? null : { address: publicUrl, before: now },
  };
  await writeSettingOnce(db, 'feed-ids', JSON.stringify(ids));
  // Another process may have been first.
  return await feedIds(db, { publicUrl }, now);
}
