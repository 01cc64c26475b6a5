import { QueryClient } from '@tanstack/react-query';
import { expect, it } from 'vitest';
import type { Call } from '../../contract/operations.ts';
import { lineAboveOf, noteOpened } from './marks.tsx';

it('posts that one reader has opened are not recorded for the next', () => {
  const client = new QueryClient();
  client.setQueryData(['getViewer', {}], { user: { id: 'mina' } });
  const noted: unknown[] = [];
  const call = (async (_: string, input: unknown) => noted.push(input)) as unknown as Call;
  noteOpened(client, call, 'lucy', ['a']);
  noteOpened(client, call, 'mina', ['b']);
  expect(noted).toEqual([{ postIds: ['b'] }]);
});

const post = (id: string, isPinned = false) => ({ id, isPinned });
const lineOf = (posts: ReturnType<typeof post>[], opened: string[], openedNow: string[] = []) =>
  lineAboveOf(posts, { isKept: true, opened, openedNow, withNewComments: [] });

it('the timeline has a line between new posts and the first that was seen before', () => {
  expect(lineOf([post('new'), post('seen'), post('older')], ['seen', 'older'])).toBe('seen');
  expect(lineOf([post('seen'), post('older')], ['seen', 'older'])).toBeUndefined();
  expect(lineOf([post('new')], [])).toBeUndefined();
});

it('the line between new and seen posts is at its place below a pinned post that was seen before', () => {
  expect(lineOf([post('pinned', true), post('new'), post('seen')], ['pinned', 'seen'])).toBe('seen');
});

it('no line between new and seen posts is below pinned posts that were all seen before', () => {
  expect(lineOf([post('pinned', true), post('seen')], ['pinned', 'seen'])).toBeUndefined();
  expect(lineOf([post('pinned', true), post('seen')], ['seen'])).toBe('seen');
});

it('the line between new and seen posts stays where it was while the new ones are opened', () => {
  const posts = [post('new'), post('newer'), post('seen')];
  expect(lineOf(posts, ['new', 'seen'], ['new'])).toBe('seen');
  expect(lineOf(posts, ['new', 'newer', 'seen'], ['new', 'newer'])).toBe('seen');
  expect(lineOf(posts, ['new', 'newer', 'seen'])).toBeUndefined();
});

it('a post that is noted counts at once as opened in this visit, and has no new comments', () => {
  const client = new QueryClient();
  client.setQueryData(['getViewer', {}], { user: { id: 'mina' } });
  const key = ['getReadingMarks', { postIds: ['a', 'b'] }];
  client.setQueryData(key, { isKept: true, opened: ['a'], openedNow: [], withNewComments: ['a'] });
  noteOpened(client, (async () => ({})) as unknown as Call, 'mina', ['a', 'b']);
  expect(client.getQueryData(key)).toMatchObject({
    opened: ['a', 'b'],
    openedNow: ['b'],
    withNewComments: [],
  });
});
