import { differenceOfOutcome } from '../matches.ts';
import {
  approvalEffectAnswer,
  audienceAnswer,
  defaultsEffectAnswer,
  exportAnswer,
  requestsAnswer,
  type UserList,
  usersAnswer,
  viewerAnswer,
} from '../model/account-answers.ts';
import type { Expectation } from '../model/act.ts';
import { type Caller, refusalOfCaller } from '../model/caller.ts';
import { commentsAnswer, ownCommentsAnswer, reportedAnswer } from '../model/comment-answers.ts';
import { AnyOrder, pageOf } from '../model/lists.ts';
import { refusalOfEditing } from '../model/post-acts.ts';
import {
  archiveAnswer,
  keptAnswer,
  likedAnswer,
  listed,
  managedPosts,
  managedTagsAnswer,
  neighboursAnswer,
  openedAnswer,
  pagesAnswer,
  postAnswer,
  tagsAnswer,
  timeline,
} from '../model/post-answers.ts';
import { faceOf, otherAuthorOf, readablePosts, type Viewer, wishesAnswer } from '../model/rule.ts';
import { type Account, emailOf, existing, type Post, tagWord, type World } from '../model/world.ts';
import { type Answer, callOf, resultOf } from '../wire.ts';
import { leak, type Question, wrong } from './question.ts';

type Expect = (world: World, viewer: Viewer) => Expectation;

/** A call of an operation that only reads: who may call it, and what the answer must hold. */
export function call(
  operation: string,
  input: object,
  caller: Caller,
  expect: Expect,
  { also, isForTokens = true }: { also?: Question['also'] | undefined; isForTokens?: boolean } = {},
): Question {
  return {
    title: `${operation} ${JSON.stringify(input)}`,
    ask: async send => [await send(callOf(operation, input, {}))],
    judge: (world, viewer, [answer]) => {
      const isTokenRefused = !isForTokens && viewer?.isByToken === true;
      const refusal = refusalOfCaller(viewer, caller) ?? (isTokenRefused ? 'permission-denied' : undefined);
      const expected =
        refusal === undefined && viewer !== null ? expect(world, viewer) : { refusal: refusal ?? '' };
      return answer === undefined ? [] : judgeOutcome(expected, resultOf(answer));
    },
    ...(also && { also }),
  };
}

function judgeOutcome(expected: Expectation, outcome: ReturnType<typeof resultOf>) {
  const text = differenceOfOutcome(expected, outcome);
  if (text === undefined) return [];
  return ['refusal' in expected && 'result' in outcome ? leak(text) : wrong(text)];
}

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
      result: {
        about: { content: at.about === null ? '' : `About ${at.about}.` },
        namesAuthors: at.namesAuthors ?? false,
      },
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
    return { result: { posts: items.map(post => listed(world, viewer, post)), hasNextPage: hasNext } };
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

/** Questions about a person's own account. Everybody asks the same ones, so that all others are refused. */
export function ownQuestions(): Question[] {
  const own = (
    operation: string,
    expect: (world: World, account: Account, viewer: Viewer) => Expectation,
    also?: Question['also'],
  ) => {
    const expectOwn: Expect = (world, viewer) =>
      viewer.account === null ? { refusal: 'unauthenticated' } : expect(world, viewer.account, viewer);
    return call(operation, {}, 'signed-in', expectOwn, { also });
  };
  return [
    own('getLikedPosts', (world, _, viewer) => likedAnswer(world, viewer)),
    own('getOwnComments', (world, _, viewer) => ownCommentsAnswer(world, viewer)),
    own('getSubscription', (_, account) => ({
      result: { isSubscribed: account.isSubscribed, email: emailOf(account) },
    })),
    own('getPersonalFeed', (_, { feed }) => ({ result: { feed: feed?.isOpen ? {} : null } })),
    own('getPostAddress', (_, { postAddress }) => ({ result: { address: postAddress ?? null } })),
    own('getPush', (world, { name }) => {
      const sessions = Object.values(world.sessions);
      const isAny = sessions.some(each => each.account === name && each.isOpen && each.isNotified === true);
      return { result: isAny ? {} : { isOn: false } };
    }),
    own('getMailWishes', (world, account) => wishesAnswer(world, account)),
    own('getAccount', (world, account) => {
      const open = Object.values(world.sessions).filter(each => each.account === account.name && each.isOpen);
      const sessions = new AnyOrder(open.map(({ device }) => ({ device })));
      return {
        result: { username: account.username, name: account.fullName, face: faceOf(account), sessions },
      };
    }),
    own('listAccessTokens', (world, account) => {
      const open = Object.values(world.tokens).filter(each => each.account === account.name && each.isOpen);
      return { result: { tokens: new AnyOrder(open.map(({ label }) => ({ name: label }))) } };
    }),
    own('exportAccount', exportAnswer, ofExport),
  ];
}

/**
 * An export holds the account's comments, likes, requests, tags and files, also those on posts that it may no
 * longer read.
 */
function ofExport(world: World, viewer: Viewer | null): string[] {
  const account = viewer?.account;
  if (account == null) return [];
  const comments = existing(world.comments).filter(comment => comment.author === account.name);
  const files = existing(world.files).filter(file => file.uploader === account.name);
  return [
    ...account.tags.map(tag => tagWord(world, tag)),
    ...comments.flatMap(({ id, word, hidden, post }) => [
      id,
      word,
      hidden ?? '',
      world.posts[post]?.id ?? '',
    ]),
    ...comments.flatMap(({ parent }) => world.comments[parent ?? '']?.id ?? []),
    ...existing(world.comments).flatMap(({ id, reports }) => {
      const own = reports[account.name];
      return own === undefined ? [] : [id, own];
    }),
    ...existing(world.posts).flatMap(post =>
      [...post.likes, ...post.opened, ...(post.askedBy ?? [])].includes(account.name) ? post.id : [],
    ),
    ...files.flatMap(({ id, word }) => [id, word]),
  ];
}

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

function adminCalls(world: World): Question[] {
  const lists: UserList[] = ['pending', 'approved', 'denied', 'admins'];
  const tags = Object.keys(world.tags);
  const words = (names: readonly string[]) => names.map(name => tagWord(world, name));
  const [one = [], two = []] = [tags.slice(0, 1), tags.slice(1, 3)];
  const account = existing(world.accounts).at(-1);
  return [
    ...lists.map(list => call('getUsers', { list }, 'admin', at => usersAnswer(at, list, ''))),
    ...(['all', 'published', 'drafts'] as const).map(filter =>
      call('listPosts', { filter }, 'author', (at, viewer) => {
        const posts = managedPosts(at, viewer).filter(
          post => filter === 'all' || (post.publishedAt === null) === (filter === 'drafts'),
        );
        const { items, hasNext } = pageOf(posts, 1);
        const shown = items.map(post => ({
          id: post.id,
          title: post.title,
          authorUsername: otherAuthorOf(at, viewer, post),
        }));
        return { result: { posts: shown, hasNextPage: hasNext } };
      }),
    ),
    call('getManagedTags', {}, 'admin', managedTagsAnswer),
    call('getDefaultTags', {}, 'admin', at => ({
      result: { tags: at.defaults.map(tag => tagWord(at, tag)).sort() },
    })),
    call('describeAudience', { tags: words(two) }, 'author', (at, viewer) => {
      const own = managedPosts(at, viewer).flatMap(post => post.tags);
      const isKnown = (tag: string) => viewer.tags.has(tag) || own.includes(tag);
      if (viewer.role === 'author' && !two.every(isKnown)) return { refusal: 'invalid-argument' };
      return audienceAnswer(at, two);
    }),
    call('previewDefaultTags', { tags: words(one) }, 'admin', at => defaultsEffectAnswer(at, one)),
    ...(account === undefined
      ? []
      : [
          call('previewApprovedTags', { userId: account.id, tags: words(two) }, 'admin', at => {
            const current = at.accounts[account.name];
            if (current === undefined || current.isGone) return { refusal: 'not-found' };
            return approvalEffectAnswer(at, current, two);
          }),
        ]),
    ...(['reported', 'hidden'] as const).map(list =>
      call('listReportedComments', { list }, 'admin', at => reportedAnswer(at, list)),
    ),
    call('getCommentSettings', {}, 'admin', () => ({ result: {} })),
    call('listAccessRequests', {}, 'admin', at => requestsAnswer(at)),
    call('getWebhooks', {}, 'admin', at => {
      const there = existing(at.webhooks).map(({ id, label: name }) => ({ id, name }));
      return { result: { webhooks: new AnyOrder(there) } };
    }),
    call('getMailState', {}, 'admin', () => ({ result: {} })),
    call('getBackupState', {}, 'admin', () => ({ result: {} })),
    call('getSystemState', {}, 'admin', () => ({ result: {} })),
    call('getFirstSteps', {}, 'admin', () => ({ result: {} })),
    call('getSiteSettings', {}, 'admin', () => ({ result: { version: 0, lastChange: null } })),
    call('getHistory', {}, 'admin', () => ({ result: {} })),
  ];
}
