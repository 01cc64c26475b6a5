import { indexedTokens, wordsOf } from './words.ts';

/** The places of a post that weigh more than its text, with the sign that begins their tokens. */
export const places = { title: '_', description: '-' } as const;

/** What of a post is searched. */
type SearchedPost = {
  title: string | null;
  description: string | null;
  text: string;
  /** Names, captions and alternative texts of its attachments. */
  attachments: readonly string[];
  tagIds: readonly string[];
};

/** PostgreSQL holds at most 1 MiB of tokens of one post. */
const mostBytes = 1_000_000;

/**
 * The tokens by which a post is found: each word of it, once more for a word of its title and description,
 * and its tags. Nothing tells how often a word stands there, or in how many posts: neither counts.
 */
export function tokensOfPost({ title, description, text, attachments, tagIds }: SearchedPost): string[] {
  const tokens = new Set(tagIds.map(tagToken));
  const add = (part: string, place = '') => {
    for (const word of wordsOf(part))
      for (const token of indexedTokens(word)) tokens.add(place + token).add(token);
  };
  add(title ?? '', places.title);
  add(description ?? '', places.description);
  add(attachments.join('\n'));
  add(text);
  let left = mostBytes;
  return [...tokens].filter(token => {
    left -= Buffer.byteLength(token);
    return left >= 0;
  });
}

/** The token of a tag, in hexadecimal digits: SQLite does not tell capital letters from small ones. */
export const tagToken = (tagId: string) => `+${Buffer.from(tagId).toString('hex')}`;
