import { newestPosts, publishedPosts } from '../model/post-answers.ts';
import { knowable, type Viewer, viewerOf } from '../model/rule.ts';
import { carriedBy, type Post, tagWord, type World } from '../model/world.ts';
import type { Answer } from '../wire.ts';
import { fullWords } from './pages.ts';
import { type Finding, leak, missing, type Question, wrong } from './question.ts';

/** The feed holds what a visitor may read, for every reader. */
export function feedQuestion(): Question {
  return {
    title: 'feed',
    ask: async send => [await send({ path: '/feed.xml' })],
    judge: (world, _, [answer]) => judgeFeed(world, viewerOf(world, null), answer),
  };
}

/** The feed of a tag holds what a visitor may read with it. Without a post it is missing. */
export function tagFeedQuestions(world: World): Question[] {
  return Object.values(world.tags).map(({ name, word }) => ({
    title: `feed of the tag ${word}`,
    ask: async send => [await send({ path: `/feed.xml?tag=${word}` })],
    judge: (at, _, [answer]) => {
      const posts = newestPosts(at, viewerOf(at, null)).filter(post => post.tags.includes(name));
      if (tagWord(at, name) === word && posts.length > 0) return judgeEntries(at, posts, answer);
      return answer?.status === 404 ? [] : [leak(`the status is ${answer?.status}, not 404`)];
    },
  }));
}

/** The sitemap names what a visitor may read, oldest first, for every reader. */
export function sitemapQuestion(): Question {
  return {
    title: 'sitemap',
    ask: async send => [await send({ path: '/sitemap.xml' })],
    judge: (world, _, [answer]) => {
      if (answer?.status !== 200) return [wrong(`the status is ${answer?.status}`)];
      const ids = [...answer.bytes.toString().matchAll(/\/post\/([^<]*)<\/loc>/g)].map(match => match[1]);
      const open = publishedPosts(world, viewerOf(world, null)).reverse();
      const expected = open.map(post => post.id);
      return JSON.stringify(ids) === JSON.stringify(expected)
        ? []
        : [wrong(`it holds ${ids}, not ${expected}`)];
    },
  };
}

/** The feed of an account holds what its owner may read, for every reader of it, and ends with its secret. */
export function personalFeedQuestions(world: World): Question[] {
  return Object.values(world.accounts).flatMap(({ name, feed }) => {
    if (feed === undefined || feed.secret === '') return [];
    const ownerOf = (at: World) => {
      const owner = at.accounts[name];
      const isOpen = owner?.feed?.isOpen && owner.feed.secret === feed.secret && !owner.isGone;
      const viewer = viewerOf(at, owner && isOpen ? owner : null);
      return viewer.role === 'visitor' ? null : viewer;
    };
    const asked = (path: string, judgeOf: typeof judgeFeed): Question => ({
      title: `${path} of ${name}`,
      ask: async send => [await send({ path: `${path}?key=${feed.secret}` })],
      judge: (at, _, [answer]) => {
        const owner = ownerOf(at);
        if (owner !== null) return judgeOf(at, owner, answer);
        return answer?.status === 404 ? [] : [leak(`the status is ${answer?.status}, not 404`)];
      },
      also: at => {
        const owner = ownerOf(at);
        return owner === null ? [] : [...knowable(at, owner)];
      },
    });
    return [asked('/feed.xml', judgeFeed), asked('/podcast.xml', judgePodcast)];
  });
}

/** The podcast holds what a visitor may read and hear, and is not there without a sound. */
export function podcastQuestion(): Question {
  return {
    title: 'podcast',
    ask: async send => [await send({ path: '/podcast.xml' })],
    judge: (world, _, [answer]) => {
      const visitor = viewerOf(world, null);
      if (heardIn(world, visitor).length > 0) return judgePodcast(world, visitor, answer);
      return answer?.status === 404 ? [] : [leak(`the status is ${answer?.status}, not 404`)];
    },
  };
}

function judgePodcast(world: World, viewer: Viewer, answer: Answer | undefined): Finding[] {
  if (answer?.status !== 200) return [wrong(`the status is ${answer?.status}`)];
  const items = [...answer.bytes.toString().matchAll(/post\/([^<#]*)#([^<#]*)<\/guid>/g)];
  const actual = items.map(([, post, file]) => `${post}#${file}`).sort();
  const expected = heardIn(world, viewer).sort();
  return JSON.stringify(actual) === JSON.stringify(expected)
    ? []
    : [wrong(`it holds ${actual}, not ${expected}`)];
}

/** The sounds of the newest posts that have one; all that the tester uploads are sounds, but for pictures. */
function heardIn(world: World, viewer: Viewer): string[] {
  const heard = newestPosts(world, viewer).map(post => ({
    post,
    files: carriedBy(post).flatMap(name => {
      const file = world.files[name];
      return file !== undefined && !file.isGone && file.bytes !== null ? file : [];
    }),
  }));
  return heard
    .filter(({ files }) => files.length > 0)
    .slice(0, 20)
    .flatMap(({ post, files }) => files.map(file => `${post.id}#${file.id}`));
}

function judgeFeed(world: World, viewer: Viewer, answer: Answer | undefined): Finding[] {
  return judgeEntries(world, newestPosts(world, viewer), answer);
}

function judgeEntries(world: World, all: readonly Post[], answer: Answer | undefined): Finding[] {
  const text = answer?.bytes.toString() ?? '';
  if (answer?.status !== 200) return [wrong(`the status is ${answer?.status}`)];
  const posts = all.slice(0, 20);
  const ids = [...text.matchAll(/<id>[^<]*\/post\/([^<]*)<\/id>/g)].map(match => match[1]);
  if (JSON.stringify(ids) !== JSON.stringify(posts.map(post => post.id))) {
    return [wrong(`it holds ${ids}, not ${posts.map(post => post.id)}`)];
  }
  return missing(
    text,
    posts.flatMap(post => fullWords(world, { ...post, attachments: [] })),
  );
}
