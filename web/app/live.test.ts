import { expect, it } from 'vitest';
import { postsPerStream } from '../../contract/constants.ts';
import { streamAddress } from './live.ts';

it('the stream of a page names no more posts than the server accepts, those opened last', () => {
  const ids = Array.from({ length: postsPerStream + 2 }, (_, index) => `p${index}`);
  const named = new URL(streamAddress(ids), 'http://site.invalid').searchParams.getAll('post');
  expect(named).toEqual(ids.slice(2));
  expect(streamAddress([])).toBe('/live?');
});
