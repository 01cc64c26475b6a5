import type { Post } from '../../../contract/post.ts';
import { cutAtWord, nameWithoutTitle } from '../../../contract/text.ts';
import type { WishKind } from '../../../contract/wishes.ts';
import { foreignLanguageOf, languageBeside } from '../../markdown/language.ts';
import {
  forWhom,
  type MailSite,
  toAdmin,
  toPlay,
  toSubscriber,
  type Written,
  writeLetter,
} from '../letter.ts';

/** How many characters of a comment a mail quotes, and how many of a short post name it. */
const quotedCharacters = 600;
const namedCharacters = 60;
/** How many characters it repeats of the reader's own comment. */
const ownCharacters = 200;

/** Why somebody gets a mail about a comment. */
const reasons: Partial<Record<WishKind, { happened: string; because: string }>> = {
  answers: { happened: 'answered your comment on', because: 'somebody answered a comment of yours' },
  'own-posts': { happened: 'commented on', because: 'you wrote the post' },
  followed: { happened: 'commented on', because: 'you commented on the post and follow such posts' },
};

type CommentTold = {
  post: Post;
  content: string;
  /** The reader's own comment that was answered. */
  answered: string | undefined;
  author: string;
  wish: WishKind;
  audience: readonly string[];
  stop: string;
  canReply: boolean;
};

export function commentMail(
  site: MailSite,
  { post, content, answered, author, wish, audience, stop, canReply }: CommentTold,
): Written {
  const title = post.title ?? nameWithoutTitle(post.excerpt, namedCharacters, post.publishedOn);
  const { happened, because } = reasons[wish] ?? { happened: 'commented on', because: 'you asked for it' };
  const quote = (text: string, most: number) => {
    const quoted = cutAtWord(text, most);
    return { quoted, lang: foreignLanguageOf(quoted) };
  };
  return writeLetter(site, {
    subject: `${author} ${happened} ${title}`,
    heading: `${author} ${happened} ${title}`,
    paragraphs: [
      quote(content, quotedCharacters),
      ...(answered === undefined ? [] : ['You had written:', quote(answered, ownCharacters)]),
      ...forWhom(audience),
    ],
    action: { label: 'Read and answer', url: `${site.publicUrl}/post/${post.id}#comments` },
    footer: [
      ...(canReply
        ? [{ text: 'Reply to this email to answer. Other readers of the post see your reply.' }]
        : []),
      { text: `You get this email because ${because}.` },
      { text: 'Unsubscribe from these emails', url: stop },
      { text: 'Choose what you hear of', url: `${site.publicUrl}/account#hear` },
    ],
  });
}

/** To an admin, at most once an hour. */
export function reportedMail(site: MailSite, { count, stop }: { count: number; stop: string }): Written {
  const what = count === 1 ? 'A comment was reported' : `${count} comments were reported`;
  return writeLetter(site, {
    subject: `${what} at ${site.title}`,
    heading: what,
    paragraphs: ['A reader asks you to look at it.'],
    action: { label: 'See reported comments', url: `${site.publicUrl}/admin/comments` },
    footer: toAdmin(stop),
  });
}

/** The posts that new tags open to somebody: the newest, and a link to all. */
export function tagsGivenMail(
  site: MailSite,
  {
    tags,
    posts,
    count,
    unsubscribe,
  }: { tags: readonly string[]; posts: readonly Post[]; count: number; unsubscribe: string },
): Written {
  const [tag = ''] = tags;
  const heading = `You can now read ${count === 1 ? 'one more post' : `${count} more posts`}${tagged(tags)}`;
  const rest = count - posts.length;
  const all = tags.length === 1 ? `/tags/${encodeURIComponent(tag)}` : '/';
  return writeLetter(site, {
    subject: heading,
    heading,
    paragraphs: [
      `An admin of ${site.title} has shared ${count === 1 ? 'it' : 'them'} with you.`,
      `${count === 1 ? 'It is' : 'They are'} not for everybody. Please do not forward this email.`,
    ],
    links: posts.map(post => linkTo(site, post, [])),
    ...(rest > 0 && {
      action: { label: `Read ${rest === 1 ? 'one more' : `${rest} more`}`, url: site.publicUrl + all },
    }),
    footer: toSubscriber(site, unsubscribe),
  });
}

function tagged(tags: readonly string[]): string {
  if (tags.length === 0) return '';
  const names = new Intl.ListFormat('en').format(tags.map(tag => `“${tag}”`));
  return ` with the tag${tags.length === 1 ? '' : 's'} ${names}`;
}

type DigestPost = { post: Post; audience: readonly string[] };

/** New posts since the previous digest. */
export function digestMail(
  site: MailSite,
  { posts, hasMore, unsubscribe }: { posts: readonly DigestPost[]; hasMore: boolean; unsubscribe: string },
): Written {
  const more = hasMore ? 'More than ' : '';
  const count = posts.length === 1 ? 'A new post' : `${more}${posts.length} new posts`;
  return writeLetter(site, {
    subject: `${count} on ${site.title}`,
    heading: `${count} on ${site.title}`,
    paragraphs: [],
    links: posts.map(({ post, audience }) => linkTo(site, post, [...toPlay(post), ...forWhom(audience)])),
    ...(hasMore && { action: { label: 'And more on the site', url: `${site.publicUrl}/` } }),
    footer: toSubscriber(site, unsubscribe),
  });
}

function linkTo(site: MailSite, post: Post, below: readonly string[]) {
  const lang = foreignLanguageOf(post.excerpt);
  const quote = (quoted: string | null) => (quoted ? [{ quoted, lang: languageBeside(quoted, lang) }] : []);
  const title = post.title ?? nameWithoutTitle(post.excerpt, namedCharacters, post.publishedOn);
  return {
    label: { quoted: title, lang: languageBeside(title, lang) },
    url: `${site.publicUrl}/post/${post.id}`,
    words: [...quote(post.type === 'essay' ? post.description : null), ...below],
  };
}
