import { InfiniteQueryObserver, QueryClient } from '@tanstack/react-query';
import { expect, it } from 'vitest';
import type { Call, Output } from '../../contract/operations.ts';
import { commentsQuery } from './query.ts';
import { syncComments } from './sync.ts';
import type { Comment } from './threads.ts';

const postId = 'post';
const comment = (number: number, userId: string | null = 'lucy-id'): Comment => ({
  id: `comment${number}`,
  authorUsername: 'lucy',
  authorFace: null,
  authorName: 'Lucy Westenra',
  userId,
  authorRole: null,
  content: `Comment ${number}`,
  createdAt: new Date(number).toISOString(),
  parentId: null,
  editedAt: null,
  state: 'shown',
  hiddenReason: null,
  can: { delete: false, edit: false, report: false, moderate: false },
});

/**
 * A page with the comments of a post, and a server whose answers hold the state at the time of the request,
 * however late they arrive.
 */
async function open(count: number) {
  const comments = Array.from({ length: count }, (_, index) => comment(count - index));
  let late: Promise<void> | undefined;
  const asked: (() => void)[] = [];
  const call: Call = async () => {
    const answer: Output<'listComments'> = {
      comments: [...comments],
      commentCount: comments.length,
      nextCursor: null,
      version: comments.length,
      closedAt: null,
      canClose: false,
    };
    asked.shift()?.();
    await late;
    // The only operation that is called here.
    return answer as never;
  };
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  client.setQueryData(['getViewer', {}], { user: { id: 'lucy-id', username: 'lucy' } });
  const options = commentsQuery(call, postId);
  const observer = new InfiniteQueryObserver(client, options);
  const news: string[] = [];
  const listener = syncComments(client, call, postId, null, text => news.push(text));
  const state = () => ({
    postId,
    commentCount: comments.length,
    likeCount: 0,
    version: comments.length,
    closedAt: null,
  });
  return {
    client,
    listener,
    news,
    state,
    observe: () => observer.subscribe(() => {}),
    /** Whether the page has comments on the screen. */
    isShown: () => observer.getCurrentResult().data !== undefined,
    /**
     * Adds a comment of somebody, by default the reader. Returns the event that the stream sends, if it is
     * open.
     */
    add: (userId?: string | null) => {
      const added = comment(comments.length + 1, userId);
      comments.unshift(added);
      const counted = { postId, commentCount: comments.length, likeCount: 0, version: comments.length };
      return { ...counted, added: [added], removed: [], closedAt: null };
    },
    /** From here on answers wait until the returned function is called. */
    hold: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      late = promise;
      return () => {
        late = undefined;
        resolve();
      };
    },
    /** Resolves once the server is asked the next time. */
    nextQuestion: () => new Promise<void>(resolve => asked.push(resolve)),
    comments: () => client.getQueryData(options.queryKey)?.pages[0]?.comments ?? [],
    shown: () => {
      const [first] = client.getQueryData(options.queryKey)?.pages ?? [];
      return first && { ids: first.comments.map(({ id }) => id), count: first.commentCount };
    },
  };
}

const all = (count: number) => ({
  ids: Array.from({ length: count }, (_, index) => `comment${count - index}`),
  count,
});

it('the list of comments has a comment that was added during an older request and without the stream', async () => {
  const page = await open(2);
  page.observe();
  await expect.poll(page.shown).toEqual(all(2));
  const release = page.hold();
  const asked = page.nextQuestion();
  page.listener.onDisconnected();
  await asked;
  page.add();
  page.listener.onState(page.state());
  release();
  await expect.poll(page.shown).toEqual(all(3));
});

it('the list of comments has a comment that the stream announced during an older request, and the new count', async () => {
  const page = await open(2);
  page.observe();
  await expect.poll(page.shown).toEqual(all(2));
  page.add();
  const release = page.hold();
  const asked = page.nextQuestion();
  page.listener.onState(page.state());
  await asked;
  page.listener.onChange(page.add());
  release();
  await expect.poll(page.shown).toEqual(all(4));
});

it('the list of comments has a comment that was added while it was first loaded', async () => {
  const page = await open(2);
  const release = page.hold();
  const asked = page.nextQuestion();
  page.observe();
  await asked;
  page.listener.onChange(page.add());
  release();
  await expect.poll(page.shown).toEqual(all(3));
});

it('the list of comments fetches nothing when the stream announces what it already has', async () => {
  const page = await open(2);
  page.observe();
  await expect.poll(page.shown).toEqual(all(2));
  const asked = page.nextQuestion().then(() => 'asked');
  page.listener.onChange(page.add());
  await page.listener.onState(page.state());
  expect(page.shown()).toEqual(all(3));
  expect(await Promise.race([asked, 'not asked'])).toBe('not asked');
});

it('the list of comments tells of the comments of others, also of an imported one by somebody of the same name', async () => {
  const page = await open(2);
  page.observe();
  await expect.poll(page.shown).toEqual(all(2));
  page.listener.onChange(page.add());
  expect(page.news).toEqual([]);
  page.listener.onChange(page.add(null));
  expect(page.news).toEqual(['New comment by lucy: Comment 4']);
});

it('the beginning of a long new comment is read out', async () => {
  const page = await open(2);
  page.observe();
  await expect.poll(page.shown).toEqual(all(2));
  const added = [{ ...comment(3, null), content: 'word '.repeat(1_000) }];
  page.listener.onChange({
    postId,
    commentCount: 3,
    likeCount: 0,
    version: 3,
    closedAt: null,
    added,
    removed: [],
  });
  expect(page.news).toEqual([`New comment by lucy: ${'word '.repeat(19)}word…`]);
});

it('the list of comments changes a comment where it stands, adds answers below theirs, and shows the placeholder of a deleted one', async () => {
  const page = await open(2);
  page.observe();
  await expect.poll(page.shown).toEqual(all(2));
  const counted = { postId, commentCount: 3, likeCount: 0, version: 3, closedAt: null };
  const answer = (id: string, number: number) => ({ ...comment(number), id, parentId: 'comment2' });
  page.listener.onChange({ ...counted, added: [answer('later', 9), answer('sooner', 8)], removed: [] });
  const elsewhere = { ...comment(10), id: 'elsewhere', parentId: 'comment-of-another-page' };
  page.listener.onChange({ ...counted, added: [elsewhere], removed: [] });
  expect(page.shown()?.ids).toEqual(['comment2', 'sooner', 'later', 'comment1']);
  const placeholder: Comment = { ...comment(2), content: '', userId: null, state: 'deleted' };
  page.listener.onChange({ ...counted, added: [placeholder], removed: ['comment2', 'sooner'] });
  expect(page.shown()?.ids).toEqual(['comment2', 'later', 'comment1']);
  expect(page.comments()[0]).toMatchObject({ state: 'deleted', content: '' });
});

it('comments that a reader may no longer see leave the screen before the server has answered', async () => {
  const page = await open(2);
  page.observe();
  await expect.poll(page.isShown).toBe(true);
  page.hold();
  page.listener.onGone({ postId, reason: 'permission-denied' });
  expect(page.isShown()).toBe(false);
});
