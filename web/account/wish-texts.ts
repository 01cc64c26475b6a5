import type { WishKind } from '../../contract/wishes.ts';

/** What the mails of each kind are about, to the person who gets them. */
export const wishTexts: Record<WishKind, string> = {
  answers: 'answers to your comments',
  'own-posts': 'comments on your posts',
  followed: 'new comments on posts that you commented on',
  waiting: 'people who wait for approval',
  asked: 'members who ask to read a post, or propose somebody',
  reported: 'reported comments',
};
