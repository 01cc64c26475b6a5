import { nameWithoutTitle, untitled } from '../../../contract/text.ts';
import { oldestProposals } from '../../access/proposals.ts';
import { oldestRequests } from '../../access/requests.ts';
import { isUnproven } from '../../access/viewer.ts';
import type { UserRow } from '../../db/tables.ts';
import { postNames } from '../../posts/read.ts';
import type { MailContext } from '../context.ts';
import {
  audienceOf,
  forWhom,
  type MailSite,
  pathOfAsked,
  toAdmin,
  type Written,
  writeLetter,
} from '../letter.ts';
import { NotNeeded } from '../not-needed.ts';
import { type Prepared, readablePost, readerOf, requireAdmin, withStop } from './prepare.ts';

const requestsNamed = 10;
const titleCharacters = 80;

/**
 * To an admin: access requests, with the tags that would open each post and what else these would open; and
 * proposals.
 */
export async function prepareAskedMail(deps: MailContext, site: MailSite, user: UserRow): Promise<Prepared> {
  const foundRequests = await oldestRequests(deps, requestsNamed + 1);
  const foundProposals = await oldestProposals(deps.db, requestsNamed + 1);
  const toRequests = pathOfAsked(foundRequests, []);
  const toProposals = pathOfAsked([], foundProposals);
  const path = toRequests ?? toProposals;
  if (path === undefined) throw new NotNeeded('Nobody asks for anything any more.');
  const viewer = await requireAdmin(deps, user, 'asked');
  const requests = foundRequests.slice(0, requestsNamed);
  const proposals = foundProposals.slice(0, requestsNamed);
  const ids = requests.map(({ postId }) => postId);
  const names = await postNames(deps, viewer, ids, titleCharacters);
  const asking = requests.map(({ postId, username, word, needed, opens }) => {
    const tags = needed.map(name => `“${name}”`).join(', ');
    const needs = `They need the tag${needed.length === 1 ? '' : 's'} ${tags}`;
    const others =
      opens > 1 ? `, which would also open ${opens - 1} other post${opens === 2 ? '' : 's'} to them` : '';
    const title = names.get(postId)?.postTitle ?? untitled;
    return `${username} asks for “${title}”${said(word)}. ${needs}${others}.`;
  });
  const proposing = proposals.map(
    ({ username, name, email, word }) => `${username} proposes ${name} (${email})${said(word)}.`,
  );
  const isMore = foundRequests.length > requestsNamed || foundProposals.length > requestsNamed;
  const more = isMore ? ['More requests are on the site.'] : [];
  const heading = headingOf(requests, proposals);
  const { publicUrl } = site;
  // They are answered on two pages.
  const body =
    toRequests !== undefined && toProposals !== undefined
      ? {
          paragraphs: more,
          links: [
            { label: 'Answer the requests', url: publicUrl + toRequests, words: asking },
            { label: 'Answer the proposals', url: publicUrl + toProposals, words: proposing },
          ],
        }
      : {
          paragraphs: [...asking, ...proposing, ...more],
          action: { label: 'Answer them', url: publicUrl + path },
        };
  return withStop(deps, user, 'asked', stop =>
    writeLetter(site, {
      subject: heading,
      heading,
      ...body,
      footer: toAdmin(stop),
    }),
  );
}

const said = (word: string) => (word === '' ? '' : `: “${word}”`);

type From = readonly { username: string }[];

function headingOf(requests: From, proposals: From): string {
  const [first] = [...requests, ...proposals];
  if (proposals.length === 0)
    return requests.length === 1
      ? `${first?.username} asks to read a post`
      : 'Some members ask to read posts';
  if (requests.length > 0) return 'Some members ask for something';
  return proposals.length === 1
    ? `${first?.username} proposes somebody to invite`
    : 'Some members propose people to invite';
}

/** To somebody whose request was granted, if they may still read the post. */
export async function prepareLetInMail(
  deps: MailContext,
  site: MailSite,
  user: UserRow,
  postId: string,
): Promise<Written & { postIds: string[] }> {
  // It names a post that may be restricted: only for a proven mailbox.
  if (isUnproven(user)) throw new NotNeeded('The address is not confirmed.');
  const viewer = await readerOf(deps, user);
  if (viewer.role === 'visitor') throw new NotNeeded('The account is not approved.');
  const post = await readablePost(deps, viewer, postId);
  const title = post.title ?? nameWithoutTitle(post.excerpt, titleCharacters, post.publishedOn);
  const written = writeLetter(site, {
    subject: `You can now read ${title}`,
    heading: `You can now read ${title}`,
    paragraphs: ['An admin has shared it with you, as you asked.', ...forWhom(await audienceOf(deps, post))],
    action: { label: 'Read it', url: `${site.publicUrl}/post/${post.id}` },
  });
  return { ...written, postIds: [postId] };
}
