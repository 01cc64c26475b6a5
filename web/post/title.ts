import type { ListedPost, Post } from '../../contract/post.ts';
import { nameWithoutTitle, oneLine } from '../../contract/text.ts';

/** The title of a post; for a short post its first words, or its date if it has none. */
export function titleOf(post: Post | ListedPost): string {
  if (post.type === 'essay') return post.title;
  const words = 'excerpt' in post ? post.excerpt : wordsOf(post.html);
  return nameWithoutTitle(words, 60, post.publishedOn);
}

/** The heading of a short post: not its words, which a screen reader reads next. */
export const shortHeading = ({ publishedOn, authorUsername }: ListedPost): string =>
  `Post${publishedOn && ` of ${publishedOn}`}${authorUsername ? ` by ${authorUsername}` : ''}`;

/** The words of rendered HTML, which writes characters of markup as numbered references. */
function wordsOf(html: string): string {
  const text = html.replaceAll(/<[^>]*>/g, ' ');
  return oneLine(
    text.replaceAll(/&#x([0-9a-f]+);/gi, (_, code: string) =>
      String.fromCodePoint(Number.parseInt(code, 16)),
    ),
  );
}
