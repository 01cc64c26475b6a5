import { commentsOf } from '../model/comment-acts.ts';
import { pageOf } from '../model/lists.ts';
import { newestPosts, timeline } from '../model/post-answers.ts';
import { refusalOfPost } from '../model/post-refusals.ts';
import { lacksFactor, mayEdit, mayReadComments, readablePosts, type Viewer } from '../model/rule.ts';
import { existing, type Post, tagWord, type World } from '../model/world.ts';
import type { Answer } from '../wire.ts';
import { type Finding, leak, missing, type Question, wrong } from './question.ts';

/** The page that a viewer must get: its status, where it redirects to, and words that it must hold. */
type Page = { status: number; location?: string; words?: readonly (string | null | undefined)[] };
type Expect = (world: World, viewer: Viewer) => Page;

/** The entity tags that anybody was sent with an address. */
export type SeenTags = (path: string) => readonly string[];

function page(path: string, seen: SeenTags, expect: Expect): Question {
  return {
    title: `page ${path}`,
    ask: async send => {
      const fresh = await send({ path });
      const own = fresh.headers.etag;
      const others = seen(path).filter(tag => tag !== own);
      const conditional = [own, others.at(-1)].filter(tag => tag !== undefined);
      const again: Answer[] = [];
      for (const tag of conditional) again.push(await send({ path, headers: { 'if-none-match': tag } }));
      return [fresh, ...again];
    },
    judge: (world, viewer, [fresh, ...again]) => {
      if (fresh === undefined) return [];
      const expected = viewer === null ? { status: 401 } : expect(world, viewer);
      return [...judgePage(expected, fresh), ...judgeConditions(fresh, again)];
    },
  };
}

function judgePage(
  { status, location, words = [] }: Page,
  { status: actual, headers, bytes }: Answer,
): Finding[] {
  if (actual !== status) {
    const text = `the status is ${actual}, not ${status}`;
    if (actual === 200) return [leak(text)];
    return [wrong(actual < 400 ? text : `${text}: ${bytes.toString().slice(0, 1_000)}`)];
  }
  const leadsTo = headers.location && decodeURIComponent(headers.location);
  if (location !== leadsTo) return [wrong(`it leads to ${leadsTo}, not to ${location}`)];
  return missing(bytes.toString(), words);
}

/** Only a browser that has exactly these bytes is answered "not modified". */
function judgeConditions(fresh: Answer, again: readonly Answer[]): Finding[] {
  const [own, other] = fresh.headers.etag === undefined ? [undefined, again[0]] : again;
  if (own !== undefined && fresh.status === 200 && own.status !== 304) {
    return [wrong(`the status is ${own.status} for a browser that has it already`)];
  }
  if (other?.status === 304) return [leak('it is "not modified" for the entity tag of another answer')];
  return [];
}

/**
 * The words on a card of the timeline: a short post is shown in full, an essay as a preview
 * (decision 21).
 */
function cardWords(world: World, post: Post): (string | null)[] {
  const tags = post.tags.map(tag => tagWord(world, tag));
  return post.type === 'short' ? [post.head, post.tail, ...tags] : [post.title, post.description, ...tags];
}

export function pageQuestions(world: World, seen: SeenTags): Question[] {
  const forAdmins = (words: (at: World) => (string | null)[]): Expect => {
    return (at, viewer) =>
      viewer.role === 'admin' ? { status: 200, words: words(at) } : sentAway(at, viewer);
  };
  const signedIn = (path: string, words: Expect): Expect => {
    return (at, viewer) =>
      viewer.account === null ? { status: 302, location: `/login?next=${path}` } : words(at, viewer);
  };
  const cards = (at: World, viewer: Viewer, tags: string[], number: number) =>
    pageOf(timeline(at, viewer, tags), number).items.flatMap(post => cardWords(at, post));
  return [
    page('/', seen, (at, viewer) => ({ status: 200, words: [at.about, ...cards(at, viewer, [], 1)] })),
    page('/archive', seen, (at, viewer) => ({
      status: 200,
      words: newestPosts(at, viewer)
        .filter((post, _, [newest]) => post.publishedAt?.slice(0, 4) === newest?.publishedAt?.slice(0, 4))
        .slice(0, 100)
        .map(post => post.title ?? post.head),
    })),
    page('/?page=2', seen, (at, viewer) => ({ status: 200, words: cards(at, viewer, [], 2) })),
    ...Object.values(world.tags).flatMap(({ name, word }) => [
      page(`/?tags=${word}`, seen, (at, viewer) => ({
        status: 200,
        words: tagWord(at, name) === word ? cards(at, viewer, [name], 1) : [],
      })),
      page(`/tags/${word}`, seen, (at, viewer) => {
        const words = cards(at, viewer, [name], 1);
        return { status: words.length === 0 || tagWord(at, name) !== word ? 404 : 200, words };
      }),
    ]),
    page(
      '/profile',
      seen,
      signedIn('/profile', (at, viewer) => ({ status: 200, words: ownWords(at, viewer) })),
    ),
    page(
      '/account',
      seen,
      // It shows passkeys and the second factor, which no access token may read.
      signedIn('/account', (_, { account, isByToken }) =>
        isByToken ? { status: 403 } : { status: 200, words: [account?.username] },
      ),
    ),
    page(
      '/admin',
      seen,
      forAdmins(at => existing(at.accounts).map(account => account.username)),
    ),
    page('/admin/posts', seen, (at, viewer) =>
      mayWrite(viewer) ? { status: 200, words: [] } : sentAway(at, viewer),
    ),
    page(
      '/admin/tags',
      seen,
      forAdmins(at => Object.values(at.tags).flatMap(tag => (tag.isListed ? tag.word : []))),
    ),
    ...['mail', 'webhooks', 'history', 'invitations', 'import-export', 'backups'].map(name =>
      page(
        `/admin/${name}`,
        seen,
        forAdmins(() => []),
      ),
    ),
  ];
}

const mayWrite = ({ role }: Viewer) => role === 'admin' || role === 'author';

/**
 * Where a page of authors and admins redirects other viewers. An admin who lacks the second factor gets to
 * where it is set up.
 */
function sentAway(world: World, { account }: Viewer): Page {
  const lacksIt = account?.status === 'approved' && lacksFactor(world, account);
  return { status: 302, location: lacksIt ? '/account#second-factor' : '/' };
}

/**
 * The titles of the viewer's liked posts, and the viewer's comments, as far as the viewer may still read
 * them.
 */
function ownWords(world: World, viewer: Viewer): (string | null)[] {
  const name = viewer.account?.name ?? '';
  const liked = readablePosts(world, viewer).filter(post => post.likes.includes(name));
  const own = existing(world.comments).filter(comment => comment.author === name);
  const shown = own.filter(({ post: of }) => {
    const post = world.posts[of];
    return post !== undefined && mayReadComments(viewer, post);
  });
  return [
    ...liked.slice(0, 20).map(post => post.title ?? post.head),
    ...shown.slice(0, 20).map(({ word }) => word),
  ];
}

/** The pages of one post. */
export function postPages(asked: Post, seen: SeenTags): Question[] {
  const path = `/post/${asked.id}`;
  const current = (world: World) => world.posts[asked.name] ?? asked;
  const found = (words: (world: World, viewer: Viewer, post: Post) => (string | null)[]): Expect => {
    return (world, viewer) => {
      const post = current(world);
      const refusal = refusalOfPost(viewer, post);
      if (refusal === 'not-found') return { status: 404 };
      if (refusal !== undefined) return { status: 302, location: `/login?next=${path}` };
      return { status: 200, words: [...fullWords(world, post), ...words(world, viewer, post)] };
    };
  };
  const comments = (world: World, viewer: Viewer, post: Post) =>
    mayReadComments(viewer, post)
      ? commentsOf(world, viewer, post)
          .slice(0, 20)
          .map(({ word }) => word)
      : [];
  return [
    page(
      path,
      seen,
      found((_, viewer, post) => [isPressed(viewer, post)]),
    ),
    page(`${path}?comments=1`, seen, found(comments)),
    page(`/admin${path.replace('post', 'posts')}/edit`, seen, (world, viewer) => {
      if (!mayWrite(viewer)) return sentAway(world, viewer);
      const post = current(world);
      const refusal = refusalOfPost(viewer, post);
      if (refusal === undefined && !mayEdit(viewer, post)) return { status: 302, location: '/' };
      return refusal !== undefined ? { status: 404 } : { status: 200, words: [post.head, post.tail] };
    }),
  ];
}

/** The like button is pressed for a viewer who likes the post. */
function isPressed({ account }: Viewer, { likes }: Post): string {
  return `aria-pressed="${account !== null && likes.includes(account.name)}"`;
}

export function fullWords(world: World, post: Post): (string | null)[] {
  return [
    post.title,
    post.head,
    post.tail,
    ...post.tags.map(tag => tagWord(world, tag)),
    ...post.attachments.flatMap(({ file, description }) => [description, world.files[file]?.word ?? null]),
    ...post.shows.map(file => world.files[file]?.id ?? null),
  ];
}
