import type { Expectation } from './act.ts';
import { actor } from './caller.ts';
import { mayEdit, mayRead, mayReadComments, type Viewer } from './rule.ts';
import type { Post, World } from './world.ts';

/** Why somebody may not read a post: a draft counts as missing (decision 7). */
export function refusalOfPost(viewer: Viewer, post: Post | undefined): string | undefined {
  if (post === undefined || post.isGone) return 'not-found';
  if (mayRead(viewer, post)) return undefined;
  return post.publishedAt === null ? 'not-found' : 'permission-denied';
}

/** Why somebody may not change a post. */
export function refusalOfEditing(viewer: Viewer, post: Post | undefined): string | undefined {
  const refusal = refusalOfPost(viewer, post);
  if (refusal !== undefined || post === undefined) return refusal ?? 'not-found';
  return mayEdit(viewer, post) ? undefined : 'permission-denied';
}

/**
 * Why somebody may not give a post these tags: an author adds and removes only tags that they may read, and
 * makes no new ones.
 */
export function refusalOfTags(
  world: World,
  viewer: Viewer,
  before: readonly string[],
  after: readonly string[],
): string | undefined {
  if (viewer.role === 'admin') return undefined;
  const mayAdd = (tag: string) => viewer.tags.has(tag) && world.tags[tag]?.isListed === true;
  if (after.some(tag => !before.includes(tag) && !mayAdd(tag))) return 'invalid-argument';
  return before.some(tag => !after.includes(tag) && !viewer.tags.has(tag)) ? 'permission-denied' : undefined;
}

export function onReadable(
  world: World,
  by: string,
  name: string,
  act: (viewer: Viewer, post: Post) => Expectation,
): Expectation {
  const asking = actor(world, by, 'approved');
  if ('refusal' in asking) return asking;
  const post = world.posts[name];
  const refusal = refusalOfPost(asking.viewer, post);
  if (refusal !== undefined || post === undefined) return { refusal: refusal ?? 'not-found' };
  return mayReadComments(asking.viewer, post) ? act(asking.viewer, post) : { refusal: 'permission-denied' };
}

export function onEditable(
  world: World,
  by: string,
  name: string,
  act: (viewer: Viewer, post: Post) => Expectation,
): Expectation {
  const asking = actor(world, by, 'author');
  if ('refusal' in asking) return asking;
  const post = world.posts[name];
  const refusal = refusalOfEditing(asking.viewer, post);
  return refusal === undefined && post !== undefined
    ? act(asking.viewer, post)
    : { refusal: refusal ?? 'not-found' };
}
