import type { Scene } from './canary-scene.ts';

/** Which posts each kind of viewer may read, written out by hand. */
export const readable: Record<string, string[]> = {
  visitor: ['open', 'default'],
  pending: ['open', 'default'],
  denied: ['open', 'default'],
  'member without tags': ['open', 'default'],
  'member with one tag': ['open', 'default', 'friends'],
  'member with both tags': ['open', 'default', 'friends', 'both'],
  // What they wrote, and what their tags let them read; of others not even that there are drafts.
  author: ['open', 'default', 'friends', 'own', 'ownDraft'],
  'former author': ['open', 'default', 'friends'],
  'denied author': ['open', 'default'],
  admin: ['open', 'default', 'friends', 'both', 'draft', 'own', 'ownDraft'],
};

/** Who has a visitor's rights. */
export const withoutComments = new Set(['visitor', 'pending', 'denied', 'denied author']);

/** Words of posts that the viewer may not read, less those that the request itself held. */
export function leaks(
  scene: Pick<Scene, 'posts' | 'managed'>,
  viewer: string,
  asked: string,
  answer: string,
): string[] {
  const allowed = new Set(readable[viewer]);
  const mayReadComments = !withoutComments.has(viewer);
  const forbidden = Object.entries(scene.posts).flatMap(([name, canary]) => [
    ...(allowed.has(name) ? [] : canary.words),
    ...(allowed.has(name) && mayReadComments ? [] : [`comment${name}q`]),
  ]);
  return [...forbidden, ...(viewer === 'admin' ? [] : scene.managed)].filter(
    word => !asked.includes(word) && answer.includes(word),
  );
}
