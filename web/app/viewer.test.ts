import { QueryClient } from '@tanstack/react-query';
import { expect, it } from 'vitest';
import { storeViewer, type Viewer } from './viewer.ts';

const can = { like: false, comment: false, write: false, administer: false };
const viewerOf = (user: object | null) => ({ user, can }) as Viewer;

it('the lists of a visitor who logs in start again at their first page', () => {
  const client = new QueryClient();
  client.setQueryData(['getViewer', {}], viewerOf(null));
  const pages = [1, 2, 3].map(page => ({ posts: [page], nextCursor: String(page) }));
  client.setQueryData(['getPosts', {}], { pages, pageParams: [null, '1', '2'] });
  client.setQueryData(['getTags', {}], { tags: [] });
  storeViewer(client, viewerOf(null));
  expect(client.getQueryData<{ pages: unknown[] }>(['getPosts', {}])?.pages).toHaveLength(3);

  storeViewer(client, viewerOf({ id: 'mina' }));
  expect(client.getQueryData(['getPosts', {}])).toEqual({ pages: pages.slice(0, 1), pageParams: [null] });
  expect(client.getQueryData(['getTags', {}])).toEqual({ tags: [] });
});
