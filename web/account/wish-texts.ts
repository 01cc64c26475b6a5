import type { WishKind } from '../../contract/wishes.ts';

/** The subject of each kind of mail, addressed to the recipient. */
export const wishTexts: Record<WishKind, string> = {
  answers: 'answers to your comments',
  'own-posts': 'comments on your posts',
  followed: 'new comments on posts that you commented on',
  waiting: 'people who wait for approval',
  asked: 'members who ask to read a post, or propose somebody',
  reported: 'reported comments',
};
