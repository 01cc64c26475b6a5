import { z } from 'zod';
import { tagMaxCharacters } from './limits.ts';
import { operation } from './operation.ts';
import { Id } from './values.ts';

/** A tag's name: trimmed, NFC, 1 to 50 characters without control characters (decisions.md 4). */
export const TagName = z
  .string()
  .transform(name => name.normalize('NFC').trim().replaceAll(/\s+/gu, ' '))
  .pipe(
    z
      .string()
      .min(1, 'A tag needs a name.')
      .max(tagMaxCharacters, `A tag has at most ${tagMaxCharacters} characters.`)
      .regex(/^[^\p{Cc}\p{Cf}\p{Co}\p{Cs}]*$/u, 'A tag cannot hold invisible characters.'),
  );

export const Tag = z.object({
  id: Id,
  name: z.string(),
  /** Published posts with this tag that the viewer may read. */
  postCount: z.int(),
});
export type Tag = z.output<typeof Tag>;

export const tagOperations = {
  getTags: operation({
    for: 'anyone',
    summary: 'The tags of posts that the viewer may read, by name; all tags for an admin.',
    input: z.object({}).nullish(),
    output: z.object({ tags: z.array(Tag) }),
  }),
};
