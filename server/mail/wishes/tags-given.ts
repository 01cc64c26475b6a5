import { sql } from 'kysely';
import { isInSets, withAnyTag } from '../../access/audience.ts';
import { listedPosts } from '../../access/posts.ts';
import { hourMs } from '../../base/clock.ts';
import type { MailRow, UserRow } from '../../db/tables.ts';
import { listTags } from '../../tags/read.ts';
import { contentOf } from '../contents.ts';
import type { MailContext } from '../context.ts';
import type { MailSite } from '../letter.ts';
import { listHeaders, unsubscribeLink } from '../links.ts';
import { NotNeeded, NotYet } from '../not-needed.ts';
import { type PostMail, subscriber } from '../prepare-posts.ts';
import { tagsGivenMail } from './compose.ts';
import { stillReadable } from './digests.ts';
import { isNewsFor } from './unwanted.ts';

/** The most posts that the mail names; it links to all. */
const postsNamed = 10;
const waitMs = 60_000;

/**
 * To a subscriber who was given tags: the posts that these open when it is sent and that they were not told
 * about before.
 */
export async function prepareTagsGiven(
  deps: MailContext,
  site: MailSite,
  user: UserRow,
  row: MailRow,
): Promise<PostMail> {
  const { tagIds: given, since } = contentOf(row, 'opened');
  await waitForTurn(deps, row, since);
  const unsubscribe = unsubscribeLink(deps, user.id);
  const headers = listHeaders(deps, 'posts', unsubscribe);
  const { viewer } = await subscriber(deps, user);
  if (viewer.role === 'admin') throw new NotNeeded('An admin reads all posts.');
  const catalogue = await deps.catalogue();
  const opening = given.filter(id => viewer.tagIds.has(id) && !catalogue.defaultTagIds.has(id));
  const sets = withAnyTag(catalogue.sets, opening);
  const opened = await (await listedPosts(deps, viewer))
    .select(['posts.id', 'posts.tag_set_id'])
    .where(isInSets(deps.db, sql.ref('posts.tag_set_id'), sets))
    // Authors read their own posts whatever the tags.
    .where(eb => eb.or([eb('posts.author_id', 'is', null), eb('posts.author_id', '<>', user.id)]))
    .where(isNewsFor(deps.db, user.id, sql.ref('posts.id')))
    .orderBy('posts.published_at', 'desc')
    .orderBy('posts.id')
    .execute();
  const postIds = opened.map(({ id }) => id);
  const posts = await stillReadable(deps, viewer, postIds.slice(0, postsNamed));
  if (posts.length === 0) throw new NotNeeded('The tags open no post that is new to this account.');
  const carried = new Set(opened.flatMap(post => catalogue.namesOf(post.tag_set_id)));
  const seen = listTags(catalogue, viewer).filter(
    ({ id, name }) => opening.includes(id) && carried.has(name),
  );
  const tags = seen.map(({ name }) => name);
  const about = { tags, posts, count: postIds.length, unsubscribe };
  return { ...tagsGivenMail(site, about), headers, postIds };
}

/**
 * Delays it until the hour of the reader's digest, and until earlier mails about posts: both could be about
 * the same post. `since` is when the tags were given.
 */
async function waitForTurn({ db, clock }: MailContext, row: MailRow, since: number): Promise<void> {
  const digest = await db
    .selectFrom('subscriptions')
    .select('digest_at')
    .where('user_id', '=', row.user_id)
    .where('rhythm', '<>', 'at-once')
    .executeTakeFirst();
  if (digest !== undefined && digest.digest_at < since) throw new NotYet(clock() + hourMs);
  const earlier = await db
    .selectFrom('mails')
    .select('id')
    .where('user_id', '=', row.user_id)
    .where('state', '=', 'queued')
    .where(eb =>
      eb.or([
        eb('kind', 'in', ['post', 'digest', 'let-in']),
        eb.and([eb('kind', '=', 'opened'), eb('id', '<', row.id)]),
      ]),
    )
    .limit(1)
    .executeTakeFirst();
  if (earlier !== undefined) throw new NotYet(clock() + waitMs);
}
