import { z } from 'zod';
import { operation } from './operation.ts';

const Address = z.url({ protocol: /^https?$/, error: 'This is no address of a page.' }).max(2_000);

export const linkOperations = {
  describeLink: operation({
    for: 'author',
    scope: 'files',
    summary:
      'Title, sentence and picture of a page elsewhere, for a link card. The picture is stored as a file of the caller.',
    input: z.strictObject({ url: Address }),
    output: z.object({
      /** Null if the page cannot be read. */
      page: z
        .object({
          title: z.string(),
          /** Empty if the page has no description. */
          sentence: z.string(),
          /** The address of the stored picture. */
          picture: z.string().nullable(),
        })
        .nullable(),
    }),
  }),
};
