import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, expect, it, vi } from 'vitest';
import type { Call } from '../../contract/operations.ts';
import { askViewer, knownViewer, refreshContent, storeViewer, type Viewer } from './viewer.ts';

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

afterEach(() => {
  vi.unstubAllGlobals();
});

/** A page that knows Mina, and a server whose answers wait until they are given. */
function pageOfMina() {
  vi.stubGlobal('document', { head: { querySelectorAll: () => [] } });
  const client = new QueryClient();
  client.setQueryData(['getViewer', {}], viewerOf({ id: 'mina' }));
  const answers: ((viewer: Viewer) => void)[] = [];
  // The only operation that is called here.
  const call: Call = () => new Promise(resolve => answers.push(viewer => resolve(viewer as never)));
  /** Asks for the viewer. Resolves once the server has got the question. */
  const ask = async () => {
    const asked = answers.length + 1;
    const viewer = askViewer(client, call).then(({ user }) => user?.id);
    await expect.poll(() => answers.length, { timeout: 5_000 }).toBe(asked);
    return { viewer, answer: (id: string) => answers[asked - 1]?.(viewerOf({ id })) };
  };
  return { client, ask };
}

it('everybody who asks for the viewer gets the answer to the newest question', async () => {
  const { client, ask } = pageOfMina();
  const first = await ask();
  const second = await ask();
  first.answer('mina');
  second.answer('lucy');
  expect(await Promise.all([first.viewer, second.viewer])).toEqual(['lucy', 'lucy']);
  expect(knownViewer(client)?.user?.id).toBe('lucy');
});

it('who asked for the viewer gets the one that the page has learned meanwhile', async () => {
  const { client, ask } = pageOfMina();
  const { viewer, answer } = await ask();
  storeViewer(client, viewerOf({ id: 'lucy' }));
  answer('mina');
  expect(await viewer).toBe('lucy');
  expect(knownViewer(client)?.user?.id).toBe('lucy');
});

/** An open editor, a list on the page, and a post that was edited before; the server answers nothing more. */
function openEditor() {
  vi.stubGlobal('document', { head: { querySelectorAll: () => [] } });
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  client.setQueryData(['getViewer', {}], viewerOf({ id: 'mina' }));
  for (const queryKey of [['editedPost', 'open'], ['getPosts']]) {
    client.setQueryData(queryKey, 'loaded');
    const queryFn = () => Promise.reject(new Error('Away.'));
    new QueryObserver(client, { queryKey, queryFn, staleTime: Number.POSITIVE_INFINITY }).subscribe(() => {});
  }
  client.setQueryData(['editedPost', 'before'], 'loaded');
  return {
    client,
    loaded: () => client.getQueriesData({ predicate: ({ state }) => state.data === 'loaded' }),
  };
}

for (const removesFirst of [false, true]) {
  it(`an open editor keeps its post when content is fetched again${removesFirst ? ' after it was removed' : ''}`, async () => {
    const { client, loaded } = openEditor();
    await refreshContent(client, removesFirst);
    expect(loaded()).toEqual([[['editedPost', 'open'], 'loaded']]);
  });
}

it('nothing of an open editor is left for another reader', () => {
  const { client, loaded } = openEditor();
  storeViewer(client, viewerOf({ id: 'lucy' }));
  expect(loaded()).toEqual([]);
});
