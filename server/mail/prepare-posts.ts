import { sql } from 'kysely';
import { refusalOf } from '../access/posts.ts';
import { type Viewer, viewerOfUser } from '../access/viewer.ts';
import type { UserRow } from '../db/tables.ts';
import { getPost, textOfPost } from '../posts/read.ts';
import { type Mail, postMail } from './compose.ts';
import type { Contents } from './contents.ts';
import type { MailContext } from './context.ts';
import { audienceOf, type MailSite } from './letter.ts';
import { listHeaders, unsubscribeLink } from './links.ts';
import { NotNeeded } from './not-needed.ts';
import { replyAddressFor } from './reply-address.ts';
import { picturesOf, wholePost } from './whole-post.ts';
import { addressWaits } from './wishes/address-waits.ts';
import { digestMail } from './wishes/compose.ts';
import { postsOfDigest } from './wishes/digests.ts';
import { isNewsFor } from './wishes/unwanted.ts';

export type PostMail = Omit<Mail, 'id' | 'to'>;

/** The current viewer of a subscriber. Throws {@link NotNeeded} if nobody is to be told. */
export async function subscriber(
  deps: MailContext,
  user: UserRow,
): Promise<{ viewer: Viewer; isWhole: boolean }> {
  const subscription = await deps.db
    .selectFrom('subscriptions')
    .leftJoin('invitation_uses', 'invitation_uses.user_id', 'subscriptions.user_id')
    .select(['invitation_id', 'is_whole'])
    .where('subscriptions.user_id', '=', user.id)
    .executeTakeFirst();
  if (subscription === undefined) throw new NotNeeded('Unsubscribed.');
  if (user.status === 'denied') throw new NotNeeded('The account is denied.');
  if (addressWaits({ ...user, ...subscription })) throw new NotNeeded('The address is not confirmed.');
  // The right to read is decided now.
  await deps.changes.caughtUp();
  const viewer = await viewerOfUser(deps.db, user.id, (await deps.catalogue()).defaultTagIds);
  return { viewer, isWhole: Boolean(subscription.is_whole) };
}

/** New posts since the previous digest that its reader may read when it is sent. */
export async function prepareDigest(
  deps: MailContext,
  site: MailSite,
  user: UserRow,
  { since, until }: Contents['digest'],
): Promise<PostMail> {
  const unsubscribe = unsubscribeLink(deps, user.id);
  const headers = listHeaders(deps, 'posts', unsubscribe);
  const { viewer } = await subscriber(deps, user);
  const { posts, hasMore } = await postsOfDigest(deps, viewer, { since, until });
  if (posts.length === 0) throw new NotNeeded('There is no new post for this account.');
  const listed = [];
  for (const post of posts) listed.push({ post, audience: await audienceOf(deps, post) });
  const postIds = posts.map(({ id }) => id);
  return { ...digestMail(site, { posts: listed, hasMore, unsubscribe }), headers, postIds };
}

/** A new post, if its reader may read it when it is sent. */
export async function prepareNewPost(
  deps: MailContext,
  site: MailSite,
  user: UserRow,
  postId: string,
): Promise<PostMail> {
  const unsubscribe = unsubscribeLink(deps, user.id);
  const headers = { ...listHeaders(deps, 'posts', unsubscribe), Precedence: 'bulk' };
  try {
    const first = await subscriber(deps, user);
    // Slow steps come first: what is sent is decided afterwards.
    const pictures = first.isWhole
      ? await picturesOf(deps, first.viewer, await getPost(deps, first.viewer, postId))
      : undefined;
    const replyTo = await replyAddressFor(deps, first.viewer, { postId, commentId: null });
    const { viewer, isWhole } = await subscriber(deps, user);
    const news = deps.db.selectFrom('posts').select('id').where('id', '=', postId);
    const isNews = news.where(isNewsFor(deps.db, user.id, sql.ref('posts.id')));
    if ((await isNews.executeTakeFirst()) === undefined)
      throw new NotNeeded('They were told of the post before, or want none of its tags.');
    const { text, isBeginning } = await textOfPost(deps, viewer, postId);
    const post = await getPost(deps, viewer, postId);
    const audience = await audienceOf(deps, post);
    const held = isWhole && !isBeginning ? pictures : undefined;
    const whole = held && wholePost(post, held, site.publicUrl);
    return {
      ...postMail(site, post, { text, whole, unsubscribe, audience, canReply: replyTo !== undefined }),
      headers,
      ...(replyTo !== undefined && { replyTo }),
      postIds: [postId],
      pictures: [...(held?.values() ?? [])].filter(({ cid }) => whole?.includes(cid)),
    };
  } catch (error) {
    refusalOf(error);
    throw new NotNeeded('The post is not shared with this account.');
  }
}
