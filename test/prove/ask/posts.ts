import { commentsAnswer } from '../model/comment-answers.ts';
import { AnyOrder } from '../model/lists.ts';
import { openRequests } from '../model/post-acts.ts';
import { managedPosts, neighboursAnswer, postAnswer } from '../model/post-answers.ts';
import { refusalOfEditing } from '../model/post-refusals.ts';
import { readablePosts } from '../model/rule.ts';
import type { Post, World } from '../model/world.ts';
import { call } from './call.ts';
import type { Question } from './question.ts';

/** Questions about one post, also about a deleted one. */
export function postQuestions(post: Post): Question[] {
  const current = (world: World) => world.posts[post.name] ?? post;
  return [
    call('getPost', { postId: post.id }, 'anyone', (world, viewer) =>
      postAnswer(world, viewer, current(world)),
    ),
    call('getNeighbours', { postId: post.id }, 'anyone', (world, viewer) =>
      neighboursAnswer(world, viewer, current(world)),
    ),
    call('listComments', { postId: post.id }, 'approved', (world, viewer) =>
      commentsAnswer(world, viewer, current(world)),
    ),
    call('listComments', { postId: post.id, threads: true }, 'approved', (world, viewer) =>
      commentsAnswer(world, viewer, current(world), true),
    ),
    call('getOwnRequest', { postId: post.id }, 'approved', (world, viewer) => {
      const isAsked = openRequests(world).some(
        asked => asked.post.name === post.name && asked.account.name === viewer.account?.name,
      );
      return { result: { askedAt: isAsked ? isText : null } };
    }),
    call('listLikes', { postId: post.id }, 'author', (world, viewer) => {
      const { likes } = current(world);
      const refusal = refusalOfEditing(viewer, current(world));
      if (refusal !== undefined) return { refusal };
      const names = likes.map(account => ({ username: world.accounts[account]?.username }));
      return { result: { likes: new AnyOrder(names), total: likes.length } };
    }),
    ...[post.title ?? post.tail, post.head].flatMap(word => [searchOfManagers(word), searchOfReaders(word)]),
  ];
}

const isText = (value: unknown) => typeof value === 'string';

const holds = (word: string) => (post: Post) =>
  [post.title, post.description, post.head, post.tail].includes(word);

/** Searches for posts by a word that they hold. */
function searchOfManagers(word: string): Question {
  return call('listPosts', { search: word }, 'author', (world, viewer) => {
    const found = managedPosts(world, viewer).filter(holds(word));
    return { result: { posts: new AnyOrder(found.map(post => ({ id: post.id }))) } };
  });
}

function searchOfReaders(word: string): Question {
  return call('search', { q: word }, 'anyone', (world, viewer) => {
    const found = readablePosts(world, viewer).filter(holds(word));
    return {
      result: {
        posts: new AnyOrder(found.map(post => ({ id: post.id }))),
        hasNextPage: false,
        suggestion: null,
      },
    };
  });
}
