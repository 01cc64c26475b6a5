import { z } from 'zod';
import { operation } from './operation.ts';

/** What somebody can choose to be mailed about, besides new posts and messages about their account. */
export const wishKinds = ['answers', 'own-posts', 'followed', 'waiting', 'asked', 'reported'] as const;
export const WishKind = z.enum(wishKinds);
export type WishKind = z.output<typeof WishKind>;

const Wishes = z.object({
  /** The wishes that the caller's role has, in this order. */
  wishes: z.array(z.object({ kind: WishKind, isOn: z.boolean() })),
});

export const wishOperations = {
  getMailWishes: operation({
    for: 'signed-in',
    scope: 'read',
    summary: 'Which mails the caller gets besides new posts.',
    output: Wishes,
  }),
  setMailWish: operation({
    for: 'signed-in',
    scope: 'write',
    summary: 'Turns one kind of mail for the caller on or off.',
    input: z.strictObject({ kind: WishKind, isOn: z.boolean() }),
    output: Wishes,
  }),
};
