import { indexedTokens, wordsOf } from './words.ts';

/** The parts of a post that rank above its text, with the prefix of their tokens. */
export const places = { title: '_', description: '-' } as const;

type SearchedPost = {
  title: string | null;
  description: string | null;
  text: string;
  /** Names, captions and alternative texts of its attachments. */
  attachments: readonly string[];
  tagIds: readonly string[];
};

/** PostgreSQL holds at most 1 MiB of tokens per post. */
const mostBytes = 1_000_000;

/**
 * The tokens of a post: each of its words, again for each word of its title and description, and its tags.
 * How often a word occurs, or in how many posts, is not stored, because it does not count.
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

/** The token of a tag, in hexadecimal digits, because SQLite ignores case. */
export const tagToken = (tagId: string) => `+${Buffer.from(tagId).toString('hex')}`;
