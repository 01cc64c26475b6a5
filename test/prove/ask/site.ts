import { usersAnswer, viewerAnswer } from '../model/account-answers.ts';
import { pageOf } from '../model/lists.ts';
import {
  archiveAnswer,
  keptAnswer,
  listed,
  managedPosts,
  openedAnswer,
  pagesAnswer,
  tagsAnswer,
  timeline,
} from '../model/post-answers.ts';
import type { Viewer } from '../model/rule.ts';
import { existing, type Post, tagWord, type World } from '../model/world.ts';
import { type Answer, callOf, resultOf } from '../wire.ts';
import { adminCalls } from './admin.ts';
import { call, judgeOutcome } from './call.ts';
import type { Question } from './question.ts';

/** Questions that anybody may ask, whatever the site holds. */
export function siteQuestions(world: World): Question[] {
  const tags = Object.keys(world.tags);
  const wordsOf = (names: readonly string[]) => names.map(name => tagWord(world, name));
  const lists: [string[], number][] = [
    [[], 1],
    [[], 2],
    ...tags.map((tag): [string[], number] => [[tag], 1]),
    [tags.slice(0, 2), 1],
  ];
  return [
    call('getViewer', {}, 'anyone', (_, viewer) => viewerAnswer(viewer)),
    call('getSettings', {}, 'anyone', at => ({
      result: { about: { content: at.about === null ? '' : `About ${at.about}.` } },
    })),
    call('getTags', {}, 'anyone', tagsAnswer),
    call('getPages', {}, 'anyone', pagesAnswer),
    call('getArchive', {}, 'anyone', archiveAnswer),
    call(
      'getReadingMarks',
      { postIds: Object.values(world.posts).flatMap(({ id }) => id || []) },
      'signed-in',
      openedAnswer,
    ),
    call(
      'getKeptPosts',
      { postIds: Object.values(world.posts).flatMap(({ id }) => id || []) },
      'approved',
      keptAnswer,
    ),
    call(
      'getOpenings',
      { postIds: Object.values(world.posts).flatMap(({ id }) => id || []) },
      'author',
      () => ({ result: { isCounted: false, counts: [] } }),
    ),
    ...lists.flatMap(([names, page]) => [
      postsCall({ page, filtTags: wordsOf(names) }, (at, viewer) => timeline(at, viewer, names), page),
      postsCall(
        { page, filtTags: wordsOf(names), isAdmin: true },
        (at, viewer) => (viewer.role === 'admin' ? managedPosts(at, viewer, names) : undefined),
        page,
      ),
    ]),
    walk(),
    ...existing(world.accounts)
      .slice(0, 3)
      .map(({ username }) =>
        call('getUsers', { list: 'approved', search: username }, 'admin', at =>
          usersAnswer(at, 'approved', username),
        ),
      ),
    ...adminCalls(world),
  ];
}

/** A page of posts; `undefined` if the list must be refused. */
function postsCall(
  input: object,
  list: (world: World, viewer: Viewer) => Post[] | undefined,
  page: number,
): Question {
  return call('getPosts', input, 'anyone', (world, viewer) => {
    const posts = list(world, viewer);
    if (posts === undefined) return { refusal: 'permission-denied' };
    const { items, hasNext } = pageOf(posts, page);
    return {
      result: {
        posts: items.map(post => listed(world, viewer, post, 'isAdmin' in input)),
        hasNextPage: hasNext,
      },
    };
  });
}

/** The timeline from its first page to its last, by its cursors. */
function walk(): Question {
  return {
    title: 'getPosts page after page',
    ask: async send => {
      const answers: Answer[] = [];
      for (let after: string | null = null; answers.length < 20; ) {
        const answer = await send(callOf('getPosts', { after }, {}));
        answers.push(answer);
        const read = resultOf(answer);
        after = 'result' in read ? (read.result as { nextCursor: string | null }).nextCursor : null;
        if (after === null) break;
      }
      return answers;
    },
    judge: (world, viewer, answers) => {
      const read = answers.map(resultOf);
      const refused = read.find(each => 'refusal' in each);
      if (viewer === null) return judgeOutcome({ refusal: 'unauthenticated' }, read[0] ?? { refusal: '' });
      if (refused !== undefined) return judgeOutcome({ result: {} }, refused);
      const ids = read.flatMap(each =>
        'result' in each ? (each.result as { posts: { id: string }[] }).posts : [],
      );
      const expected = timeline(world, viewer).map(post => ({ id: post.id }));
      return judgeOutcome({ result: expected }, { result: ids });
    },
  };
}
