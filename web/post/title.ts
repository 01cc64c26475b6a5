import { languageOfHtml } from '../../contract/language.ts';
import type { ListedPost, Post } from '../../contract/post.ts';
import { nameWithoutTitle, oneLine } from '../../contract/text.ts';

/** The title of a post; for a short post its first words, or its date if it has none. */
export function titleOf(post: Post | ListedPost): string {
  if (post.type === 'essay') return post.title;
  const words = 'excerpt' in post ? post.excerpt : wordsOf(post.html);
  return nameWithoutTitle(words, 60, post.publishedOn);
}

/** The language of a post's title, if it is not the page's; undefined otherwise. */
export function languageOf(post: Post | ListedPost): string | undefined {
  return post.type === 'essay' ? post.language : languageOfHtml(post.html);
}

/** The words of rendered HTML, which writes characters of markup as numbered references. */
function wordsOf(html: string): string {
  const text = html.replaceAll(/<[^>]*>/g, ' ');
  return oneLine(
    text.replaceAll(/&#x([0-9a-f]+);/gi, (_, code: string) =>
      String.fromCodePoint(Number.parseInt(code, 16)),
    ),
  );
}
