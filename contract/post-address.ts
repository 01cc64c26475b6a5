import { z } from 'zod';
import { operation } from './operation.ts';
import { Moment } from './values.ts';

/** The address by which an author posts by mail, as its owner sees it; it is shown only when it is made. */
const PostAddress = z.object({
  createdAt: Moment,
  /** Whether a mail to it is published at once, for everybody; otherwise it becomes a draft. */
  publishes: z.boolean(),
});

const Answer = z.object({
  address: PostAddress.nullable(),
  /** Whether the site receives mail at all. */
  isOffered: z.boolean(),
});

export const postAddressOperations = {
  getPostAddress: operation({
    for: 'signed-in',
    scope: 'read',
    summary: 'The caller’s own address for posts by mail, without its secret; null if there is none.',
    output: Answer,
  }),
  makePostAddress: operation({
    for: 'author',
    scope: 'none',
    asksAgain: true,
    summary:
      'Makes an address whose mails become posts of the caller. It is returned only here, and the previous address ends.',
    input: z.strictObject({ publishes: z.boolean() }),
    output: z.object({ address: PostAddress, email: z.string() }),
  }),
  endPostAddress: operation({
    for: 'signed-in',
    scope: 'members',
    summary: 'Ends the caller’s own address for posts by mail. Safe to repeat.',
    output: Answer,
  }),
};
