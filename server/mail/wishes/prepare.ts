import type { Post } from '../../../contract/post.ts';
import type { WishKind } from '../../../contract/wishes.ts';
import { unlessRefused } from '../../access/posts.ts';
import { isUnproven, type Viewer, viewerOfUser } from '../../access/viewer.ts';
import type { UserRow } from '../../db/tables.ts';
import { getPost } from '../../posts/read.ts';
import type { Contents } from '../contents.ts';
import type { MailContext } from '../context.ts';
import { audienceOf, type MailSite, type Written } from '../letter.ts';
import { listHeaders } from '../links.ts';
import { NotNeeded } from '../not-needed.ts';
import { replyAddressFor } from '../reply-address.ts';
import { commentMail, reportedMail } from './compose.ts';
import { wishLink } from './links.ts';
import { firstWished } from './wishes.ts';

export type Prepared = Written & { headers: Record<string, string>; replyTo?: string };

/**
 * The mail about a comment, from the current state: who wants it, who may read it, whether it still exists.
 * Throws {@link NotNeeded}.
 */
export async function prepareCommentMail(
  deps: MailContext,
  site: MailSite,
  user: UserRow,
  { commentId, wishes }: Contents['comment'],
): Promise<Prepared> {
  // Anybody can sign up with somebody else's address.
  if (user.status !== 'approved') throw new NotNeeded('The account is not approved.');
  if (isUnproven(user)) throw new NotNeeded('The address is not confirmed.');
  // Slow steps come first: the rights are decided afterwards.
  const { postId } = await shownComment(deps, commentId);
  const replyTo = await replyAddressFor(deps, await readerOf(deps, user), { postId, commentId });
  const viewer = await readerOf(deps, user);
  if (viewer.role === 'visitor') throw new NotNeeded('The account reads no comments.');
  const wish = await requireWish(deps, viewer, wishes);
  const { content, author } = await shownComment(deps, commentId);
  const post = await readablePost(deps, viewer, postId);
  const answered = wish === 'answers' ? await answeredComment(deps, user.id, commentId) : undefined;
  const about = { post, content, answered, author, wish, audience: await audienceOf(deps, post) };
  const write = (stop: string) => commentMail(site, { ...about, stop, canReply: replyTo !== undefined });
  return { ...withStop(deps, user, wish, write), ...(replyTo !== undefined && { replyTo }) };
}

/** The current rights of an account. */
export async function readerOf(deps: MailContext, user: UserRow): Promise<Viewer> {
  await deps.changes.caughtUp();
  return await viewerOfUser(deps.db, user.id, (await deps.catalogue()).defaultTagIds);
}

/** A visible comment. Throws {@link NotNeeded}. */
export async function shownComment({ db }: MailContext, commentId: string) {
  const comment = await db
    .selectFrom('comments')
    .innerJoin('users', 'users.id', 'comments.user_id')
    .select(['post_id as postId', 'content', 'name', 'display_username'])
    .where('comments.id', '=', commentId)
    .where('is_deleted', '=', false)
    .where('hidden_at', 'is', null)
    .executeTakeFirst();
  if (comment === undefined) throw new NotNeeded('The comment is no longer there.');
  const { postId, content, name, display_username } = comment;
  return { postId, content, author: name || display_username };
}

/** What its reader has said in a thread before an answer: the newest that is shown. Undefined if none is. */
async function answeredComment(
  { db }: MailContext,
  readerId: string,
  answerId: string,
): Promise<string | undefined> {
  const own = await db
    .selectFrom('comments')
    .innerJoin('comments as answer', join =>
      join.on(eb =>
        eb.or([
          eb('answer.parent_id', '=', eb.ref('comments.id')),
          eb('answer.parent_id', '=', eb.ref('comments.parent_id')),
        ]),
      ),
    )
    .select('comments.content')
    .where('answer.id', '=', answerId)
    .where('comments.user_id', '=', readerId)
    .where('comments.is_deleted', '=', false)
    .where('comments.hidden_at', 'is', null)
    .whereRef('comments.created_at', '<=', 'answer.created_at')
    .orderBy('comments.created_at', 'desc')
    .orderBy('comments.id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return own?.content;
}

export async function readablePost(deps: MailContext, viewer: Viewer, postId: string): Promise<Post> {
  const post = await unlessRefused(getPost(deps, viewer, postId));
  if (post === undefined) throw new NotNeeded('The post is not shared with this account.');
  return post;
}

/** The mail to an admin about reported comments. It quotes none: the page shows them. */
export async function prepareReportedMail(
  deps: MailContext,
  site: MailSite,
  user: UserRow,
): Promise<Prepared> {
  const { count } = await deps.db
    .selectFrom('comment_reports')
    .select(eb => eb.fn.count<number>('comment_id').distinct().as('count'))
    .executeTakeFirstOrThrow();
  if (count === 0) throw new NotNeeded('No report waits any more.');
  await requireAdmin(deps, user, 'reported');
  return withStop(deps, user, 'reported', stop => reportedMail(site, { count, stop }));
}

/** The viewer of an admin with this wish. Throws {@link NotNeeded} for anybody else. */
export async function requireAdmin(deps: MailContext, user: UserRow, wish: WishKind): Promise<Viewer> {
  const viewer = await readerOf(deps, user);
  if (viewer.role !== 'admin') throw new NotNeeded('The account has no rights of an admin.');
  await requireWish(deps, viewer, [wish]);
  return viewer;
}

/** The first of these wishes that an account currently has. Throws {@link NotNeeded} for none. */
async function requireWish(
  { db }: MailContext,
  viewer: Viewer,
  wishes: readonly WishKind[],
): Promise<WishKind> {
  const wish = await firstWished(db, viewer, wishes);
  if (wish === undefined) throw new NotNeeded('The account does not want it.');
  return wish;
}

/** A mail of this kind with the link that ends such mails, in its text and in its headers. */
export function withStop(
  deps: MailContext,
  user: UserRow,
  wish: WishKind,
  write: (stop: string) => Written,
): Prepared {
  const stop = wishLink(deps, user.id, wish);
  return { ...write(stop), headers: listHeaders(deps, wish, stop) };
}
