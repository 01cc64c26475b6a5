import { cutAtWord, untitled } from '../../../contract/text.ts';
import { openRequests } from '../../access/requests.ts';
import { isUnproven, viewerOfUser } from '../../access/viewer.ts';
import type { UserRow } from '../../db/tables.ts';
import { postNames } from '../../posts/read.ts';
import type { MailContext } from '../context.ts';
import { type MailSite, type Written, writeLetter } from '../letter.ts';
import { NotNeeded } from '../not-needed.ts';
import { type Prepared, readablePost, requireAdmin, withStop } from './prepare.ts';

const requestsNamed = 10;
const titleCharacters = 80;

/** To an admin: who asks for which posts, which tags would open each, and what else these would open. */
export async function prepareAskedMail(deps: MailContext, site: MailSite, user: UserRow): Promise<Prepared> {
  await requireAdmin(deps, user, 'asked');
  const requests = await openRequests(deps, requestsNamed);
  if (requests.length === 0) throw new NotNeeded('Nobody asks for a post any more.');
  const viewer = await viewerOfUser(deps.db, user.id, (await deps.catalogue()).defaultTagIds);
  const ids = requests.map(({ postId }) => postId);
  const names = await postNames(deps, viewer, ids, titleCharacters);
  const said = requests.map(({ postId, username, word, needed, opens }) => {
    const tags = needed.map(name => `“${name}”`).join(', ');
    const others = opens > 1 ? `, which would open ${opens - 1} more to them` : '';
    const title = names.get(postId)?.postTitle ?? untitled;
    return `${username} asks for “${title}”${word === '' ? '' : `: “${word}”`}. It needs ${tags}${others}.`;
  });
  const [first] = requests;
  const heading =
    requests.length === 1 ? `${first?.username} asks to read a post` : 'Some members ask to read posts';
  return withStop(deps, user, 'asked', stop =>
    writeLetter(site, {
      subject: heading,
      heading,
      paragraphs: said,
      action: { label: 'Answer them', url: `${site.publicUrl}/admin#requests` },
      footer: [
        { text: 'You get this email because you are an admin. It is sent at most once an hour.' },
        { text: 'Stop these emails', url: stop },
      ],
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
  await deps.changes.caughtUp();
  const viewer = await viewerOfUser(deps.db, user.id, (await deps.catalogue()).defaultTagIds);
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
