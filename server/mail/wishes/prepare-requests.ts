import { cutAtWord, untitled } from '../../../contract/text.ts';
import { openRequests } from '../../access/requests.ts';
import { isUnproven } from '../../access/viewer.ts';
import type { UserRow } from '../../db/tables.ts';
import { postNames } from '../../posts/read.ts';
import type { MailContext } from '../context.ts';
import { type MailSite, toAdmin, type Written, writeLetter } from '../letter.ts';
import { NotNeeded } from '../not-needed.ts';
import { type Prepared, readablePost, readerOf, requireAdmin, withStop } from './prepare.ts';

const requestsNamed = 10;
const titleCharacters = 80;

/** To an admin: who asks for which posts, which tags would open each, and what else these would open. */
export async function prepareAskedMail(deps: MailContext, site: MailSite, user: UserRow): Promise<Prepared> {
  const found = await openRequests(deps, requestsNamed + 1);
  const requests = found.slice(0, requestsNamed);
  if (requests.length === 0) throw new NotNeeded('Nobody asks for a post any more.');
  const viewer = await requireAdmin(deps, user, 'asked');
  const ids = requests.map(({ postId }) => postId);
  const names = await postNames(deps, viewer, ids, titleCharacters);
  const said = requests.map(({ postId, username, word, needed, opens }) => {
    const tags = needed.map(name => `“${name}”`).join(', ');
    const needs = `They need the tag${needed.length === 1 ? '' : 's'} ${tags}`;
    const others =
      opens > 1 ? `, which would also open ${opens - 1} other post${opens === 2 ? '' : 's'} to them` : '';
    const title = names.get(postId)?.postTitle ?? untitled;
    return `${username} asks for “${title}”${word === '' ? '' : `: “${word}”`}. ${needs}${others}.`;
  });
  const [first] = requests;
  const heading =
    requests.length === 1 ? `${first?.username} asks to read a post` : 'Some members ask to read posts';
  return withStop(deps, user, 'asked', stop =>
    writeLetter(site, {
      subject: heading,
      heading,
      paragraphs: [...said, ...(found.length > requestsNamed ? ['More requests are on the site.'] : [])],
      action: { label: 'Answer them', url: `${site.publicUrl}/admin#requests` },
      footer: toAdmin(stop),
    }),
  );
}

/** To somebody whose request was granted, if they may still read the post. */
export async function prepareLetInMail(
  deps: MailContext,
  site: MailSite,
  user: UserRow,
  postId: string,
): Promise<Written> {
  // It names a post that may be closed: only to a mailbox that somebody has shown to read.
  if (isUnproven(user)) throw new NotNeeded('The address is not confirmed.');
  const viewer = await readerOf(deps, user);
  if (viewer.role === 'visitor') throw new NotNeeded('The account is not approved.');
  const post = await readablePost(deps, viewer, postId);
  const title = post.title ?? (cutAtWord(post.excerpt, titleCharacters) || untitled);
  return writeLetter(site, {
    subject: `You can now read ${title}`,
    heading: `You can now read ${title}`,
    paragraphs: ['An admin has shared it with you, as you asked.'],
    action: { label: 'Read it', url: `${site.publicUrl}/post/${post.id}` },
  });
}
