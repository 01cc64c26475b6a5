import { z } from 'zod';
import { operation } from '../operation.ts';

const Subscription = z.object({
  isSubscribed: z.boolean(),
  /** Where the mails go: the account's address. Null for an account without one, which cannot subscribe. */
  email: z.string().nullable(),
});
export type Subscription = z.output<typeof Subscription>;

export const subscriptionOperations = {
  getSubscription: operation({
    for: 'signed-in',
    scope: 'read',
    summary: 'Whether the caller is told of new posts by mail.',
    input: z.strictObject({}).nullish(),
    output: Subscription,
  }),
  setSubscription: operation({
    for: 'signed-in',
    scope: 'write',
    summary: 'Subscribes the caller to mails about new posts, or unsubscribes them. Safe to repeat.',
    input: z.strictObject({ subscribed: z.boolean() }),
    output: Subscription,
  }),
};
