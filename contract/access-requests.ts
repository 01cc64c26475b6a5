import { z } from 'zod';
import { reportMaxCharacters, requestsListed, tagsPerPost } from './constants.ts';
import { operation } from './operation.ts';
import { namedPost } from './post.ts';
import { Id, Moment, writtenText } from './values.ts';

const AccessRequest = z.object({
  ...namedPost,
  userId: Id,
  username: z.string(),
  name: z.string(),
  /** The member's message; empty if they wrote none. */
  word: z.string(),
  createdAt: Moment,
  /** The names of the post's required tags that the member lacks. */
  needed: z.array(z.string()),
  /** Their ids, in the same order: a name may be another tag's by the time of an answer. */
  neededIds: z.array(Id),
  /** How many published posts these tags would open to them, this one included. */
  opens: z.int().nonnegative(),
});
export type AccessRequest = z.output<typeof AccessRequest>;

export const accessRequestOperations = {
  askForPost: operation({
    for: 'approved',
    scope: 'write',
    summary:
      'Asks the admins for a post that is not shared with the caller. Answers the same for a post that does not exist.',
    input: z.strictObject({ postId: Id, word: writtenText('A message', reportMaxCharacters).default('') }),
  }),
  getOwnRequest: operation({
    for: 'approved',
    scope: 'read',
    summary: 'When the caller asked for a post that is still not shared with them; null if they did not.',
    input: z.strictObject({ postId: Id }),
    output: z.object({ askedAt: Moment.nullable() }),
  }),
  withdrawRequest: operation({
    for: 'approved',
    scope: 'write',
    summary: 'Withdraws what the caller asked for a post; answers the same if they did not.',
    input: z.strictObject({ postId: Id }),
  }),
  listAccessRequests: operation({
    for: 'admin',
    scope: 'members',
    summary:
      'The oldest requests for posts, fifty at most, with the tags that would open each, and how many there are.',
    input: z.strictObject({ most: z.int().min(0).max(requestsListed).optional() }).nullish(),
    output: z.object({ requests: z.array(AccessRequest), total: z.int().nonnegative() }),
  }),
  answerAccessRequest: operation({
    for: 'admin',
    scope: 'members',
    summary:
      'Grants a request: gives the member the tags that the post needs, and mails them. Or removes the request without a notice.',
    input: z.strictObject({
      postId: Id,
      userId: Id,
      isGranted: z.boolean(),
      /**
       * The tags in `needed` that the admin was shown. Refused with aborted if the missing tags have changed
       * since.
       */
      tags: z.array(z.string().max(1_000)).max(tagsPerPost),
      /** The ids that were `neededIds`, in the order of `tags`. */
      tagIds: z.array(Id).max(tagsPerPost).optional(),
    }),
  }),
};
