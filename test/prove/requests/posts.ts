import { neededBeside, type PostDeed } from '../model/post-acts.ts';
import { altOf, descriptionOf, textOf, wordsAt } from '../model/post-words.ts';
import type { World } from '../model/world.ts';
import type { Written } from '../steps.ts';
import { callBy, namesOfTags, type Requests } from './request.ts';

/** The requests of writing posts, and of likes. */
export const postRequests: Requests<PostDeed> = {
  write: (sending, step) => callBy(sending, 'createPost', written(sending.world, step)),
  edit: (sending, step) =>
    callBy(sending, 'updatePost', {
      ...written(sending.world, step),
      postId: sending.world.posts[step.post]?.id,
      ...(step.isStale && { version: 0 }),
      ...(step.tells && { tellsNewReaders: true }),
    }),
  like: (sending, { post, liked }) =>
    callBy(sending, 'setLike', { postId: sending.world.posts[post]?.id, liked }),
  openPost: (sending, { post }) =>
    callBy(sending, 'noteOpened', { postIds: [sending.world.posts[post]?.id] }),
  countOpening: (sending, { post }) =>
    callBy(sending, 'countOpening', { postId: sending.world.posts[post]?.id }),
  askFor: (sending, { post }) =>
    callBy(sending, 'askForPost', { postId: sending.world.posts[post]?.id, word: '' }),
  withdrawAsked: (sending, { post }) =>
    callBy(sending, 'withdrawRequest', { postId: sending.world.posts[post]?.id }),
  letIn: (sending, { who, post: name, isGranted }) => {
    const { world } = sending;
    const [post, account] = [world.posts[name], world.accounts[who]];
    const needed = post && account ? neededBeside(world, post, account.tags) : [];
    const tags = namesOfTags(world, needed);
    return callBy(sending, 'answerAccessRequest', { postId: post?.id, userId: account?.id, isGranted, tags });
  },
};

/** A post as its author sends it. */
function written(world: World, step: Written & { at: number }) {
  const { head, tail, title, description } = wordsAt(step.at, step.type);
  const address = (name: string) => `/files/${world.files[name]?.id}`;
  const pictures = step.shows.map(name => `\n\n![a picture](${address(name)})`).join('');
  return {
    type: step.type,
    isDraft: step.isDraft,
    tags: namesOfTags(world, step.tags),
    ...(step.type === 'essay' && { title, description, shownIn: step.shownIn ?? 'timeline' }),
    content: textOf({ head, tail }) + pictures,
    ...(step.attach && {
      attachments: step.attach.map(name => ({
        url: `${address(name)}/${world.files[name]?.path.slice('posts/'.length)}`,
        description: descriptionOf(name, step.at),
        alt: altOf(name, step.at),
      })),
    }),
  };
}
