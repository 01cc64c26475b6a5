import { AppError } from '../../../contract/errors.ts';
import type { Post } from '../../../contract/posts.ts';
import type { WishKind } from '../../../contract/wishes.ts';
import { roleOfUser, viewerOfUser } from '../../access/viewer.ts';
import type { UserRow } from '../../db/tables.ts';
import { getPost } from '../../posts/read.ts';
import type { MailContext } from '../context.ts';
import { mailSite, type Written } from '../letter.ts';
import { NotNeeded } from '../not-needed.ts';
import type { MailData } from '../write.ts';
import { commentMail, reportedMail } from './compose.ts';
import { wishLink } from './links.ts';
import { isWished } from './wishes.ts';

type Prepared = Written & { headers: Record<string, string> };

/**
 * The mail about a comment, from what holds at this moment: who wants it, who may read it, whether it is
 * still there. Throws {@link NotNeeded}.
 */
export async function prepareCommentMail(
  deps: MailContext,
  user: UserRow,
  { commentId = '', wish = 'followed' }: MailData,
): Promise<Prepared> {
  await requireWish(deps, user, wish);
  // Anybody can sign up with somebody else's address.
  if (user.status !== 'approved') throw new NotNeeded('The account is not approved.');
  if (!user.email_verified && !user.is_admin) throw new NotNeeded('The address is not confirmed.');
  // Who may read it is decided now.
  await deps.changes.caughtUp();
  const viewer = await viewerOfUser(deps.db, user.id, (await deps.catalogue()).defaultTagIds);
  if (viewer.role === 'visitor') throw new NotNeeded('The account reads no comments.');
  const comment = await deps.db
    .selectFrom('comments')
    .leftJoin('users', 'users.id', 'comments.user_id')
    .select(['comments.post_id', 'comments.content', 'users.display_username as author'])
    .where('comments.id', '=', commentId)
    .where('comments.is_deleted', '=', false)
    .where('comments.hidden_at', 'is', null)
    .executeTakeFirst();
  if (comment?.author == null) throw new NotNeeded('The comment is no longer there.');
  const post = await readablePost(deps, viewer, comment.post_id);
  const { content, author } = comment;
  const told = { post, content, author, wish, audience: await audienceOf(deps, post) };
  const site = await mailSite(deps);
  return withStop(deps, user, wish, stop => commentMail(site, { ...told, stop }));
}

async function readablePost(
  deps: MailContext,
  viewer: Parameters<typeof getPost>[1],
  postId: string,
): Promise<Post> {
  try {
    return await getPost(deps, viewer, postId);
  } catch (error) {
    if (error instanceof AppError) throw new NotNeeded('The post is not shared with this account.');
    throw error;
  }
}

/** The tags that narrow who may read a post; none for one that every visitor may read. */
export async function audienceOf(deps: MailContext, { tags }: Pick<Post, 'tags'>): Promise<string[]> {
  const catalogue = await deps.catalogue();
  const open = new Set([...catalogue.defaultTagIds].map(id => catalogue.tags.get(id)?.name));
  return tags.filter(tag => !open.has(tag));
}

/** The mail to an admin about reported comments. It quotes none: the page shows them. */
export async function prepareReportedMail(deps: MailContext, user: UserRow): Promise<Prepared> {
  if ((await roleOfUser(deps.db, user.id)) !== 'admin')
    throw new NotNeeded('The account has no rights of an admin.');
  await requireWish(deps, user, 'reported');
  const { count } = await deps.db
    .selectFrom('comment_reports')
    .select(eb => eb.fn.count<number>('comment_id').distinct().as('count'))
    .executeTakeFirstOrThrow();
  if (Number(count) === 0) throw new NotNeeded('No report waits any more.');
  const site = await mailSite(deps);
  return withStop(deps, user, 'reported', stop => reportedMail(site, { count: Number(count), stop }));
}

export async function requireWish({ db }: MailContext, user: UserRow, wish: WishKind): Promise<void> {
  if (!(await isWished(db, user.id, wish))) throw new NotNeeded('The account does not want it.');
}

function withStop(
  deps: MailContext,
  user: UserRow,
  wish: WishKind,
  write: (stop: string) => Written,
): Prepared {
  const stop = wishLink(deps, user.id, wish);
  const headers = {
    'List-Id': `<${wish}.${new URL(deps.config.publicUrl).hostname}>`,
    'List-Unsubscribe': `<${stop}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    'Auto-Submitted': 'auto-generated',
  };
  return { ...write(stop), headers };
}
